//! Operations that need a library: mail, databases, pictures, archives.

mod db_select;
mod picture;
mod resize_image;
mod smtp_send;
mod zip;

pub use db_select::DbSelect;
pub use resize_image::ResizeImage;
pub use smtp_send::SmtpSend;
pub use zip::Zip;
