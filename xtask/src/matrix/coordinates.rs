//! Ids and coordinates of the cells of a scenario.

use std::collections::HashSet;

use super::axis::{Axes, Axis, AxisValue};
use super::written::{Dimension, Question};

/// Ids and coordinates of cells. Texts and maps are made once instead of once a cell: a matrix may have 100,000.
pub struct Coordinates<'b> {
    question: &'b Question,
    /// `axis=value` of every value.
    texts: Vec<Vec<String>>,
    /// The map of the cell before, and the dimensions that it has: the next cell is likely to have the same.
    template: (Vec<bool>, Axes),
    /// The values that a cell has.
    used: Vec<Vec<bool>>,
}

impl<'b> Coordinates<'b> {
    /// Of no cell yet.
    #[must_use]
    pub fn new(question: &'b Question) -> Self {
        let texts = |dimension: &Dimension| {
            dimension.values.iter().map(|value| format!("{}={}", dimension.name, value.shown)).collect()
        };
        Self {
            question,
            texts: question.dimensions.iter().map(texts).collect(),
            template: (Vec::new(), Axes::new()),
            used: question.dimensions.iter().map(|dimension| vec![false; dimension.values.len()]).collect(),
        }
    }

    /// The id of a cell, to which these dimensions apply with these values.
    #[must_use]
    pub fn id(&self, applies: &[bool], value_of: &[usize]) -> String {
        let mut id = String::with_capacity(64);
        id.push_str(&self.question.name);
        let mut separator = "/";
        for (index, dimension) in self.question.dimensions.iter().enumerate() {
            if dimension.axis && applies[index] {
                id.push_str(separator);
                id.push_str(&self.texts[index][value_of[index]]);
                separator = ",";
            }
        }
        id
    }

    /// The coordinates of the same cell.
    pub fn axes(&mut self, applies: &[bool], value_of: &[usize]) -> Axes {
        let (template_applies, template) = &mut self.template;
        if template_applies != applies {
            *template_applies = applies.to_vec();
            let names =
                self.question.dimensions.iter().zip(applies).filter(|(dimension, applies)| dimension.axis && **applies);
            *template = names.map(|(dimension, _)| (dimension.name.clone(), AxisValue::Number(0))).collect();
        }
        let mut place = 0;
        for (index, dimension) in self.question.dimensions.iter().enumerate() {
            if dimension.axis && applies[index] {
                template[place].clone_from(&dimension.values[value_of[index]].shown);
                self.used[index][value_of[index]] = true;
                place += 1;
            }
        }
        template.clone()
    }

    /// The axes with the values that a cell has; an axis that no cell has is none.
    #[must_use]
    pub fn used_axes(&self) -> Vec<Axis> {
        let axes = self.question.dimensions.iter().zip(&self.used).filter(|(dimension, _)| dimension.axis);
        let axes = axes.map(|(dimension, used)| {
            let used = dimension.values.iter().zip(used).filter(|(_, used)| **used);
            // Zipped axes may repeat a value.
            let mut seen = HashSet::new();
            let values =
                used.map(|(value, _)| value.shown.clone()).filter(|value| seen.insert(value.clone())).collect();
            Axis { name: dimension.name.clone(), values }
        });
        axes.filter(|axis| !axis.values.is_empty()).collect()
    }
}
