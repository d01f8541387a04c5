//! How the page is made.
