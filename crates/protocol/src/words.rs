//! Enums of words: what the matrix file, the wire and the tables call things is said once.

/// Declares an enum of words: the variants, their names on the wire and in the matrix file, and the list of all.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value, in the order in which tables show them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word on the wire and in the matrix file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The value with this name, if there is one.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use words;
