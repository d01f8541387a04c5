//! Stands in for the operations that this program was built without. There is no value of it.

use crate::Step;

/// No operation.
#[derive(Debug, Clone, Copy)]
pub enum Absent {}

impl Step for Absent {
    fn waits(&self) -> bool {
        match *self {}
    }

    fn computes(&self) -> bool {
        match *self {}
    }
}
