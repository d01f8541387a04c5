//! What each operation computes, by the words of `docs/protocol.md`: slow and plain, so that it can be read beside them.

use protocol::{Checksum, Query, Task, fold, mix, task_seed};

use super::jobs::Shape;

/// How many files `file-read` has.
const FILES: u64 = 8;

/// The checksum of a task set.
pub(super) fn checksum(task: &Task, shape: Shape) -> Checksum {
    (0..shape.tasks)
        .map(|number| {
            let index = shape.first_task.wrapping_add(number);
            (0..shape.steps).fold(task_seed(index), |state, _| fold(state, result(task, index, state)))
        })
        .collect()
}

fn result(task: &Task, index: u64, state: u64) -> u64 {
    match task {
        Task::SumOfSquares { n } => (0..*n).fold(0, |sum, i| sum.wrapping_add(i.wrapping_mul(i))),
        Task::Burn { iterations } | Task::WaitAndBurn { iterations, .. } => burn(low_half(state), *iterations),
        Task::Primes { limit } => (2..*limit).filter(|number| is_prime(*number)).count() as u64,
        Task::Wait { .. } => 1,
        Task::Command { .. } => 0,
        Task::DbSelect { query: Query::Compute { rows }, .. } => (1..=*rows).map(|i| i.wrapping_mul(i) % 7919).sum(),
        Task::DbSelect { query: Query::Wait { .. }, .. } => 1,
        Task::FileRead { size_bytes, .. } => crc32(&generated(index % FILES, *size_bytes)).into(),
        Task::FileWrite { size_bytes, .. } => *size_bytes,
        Task::ResizeImage { width, .. } => (u64::from(*width) << 32) + u64::from(*width) * 3 / 4,
        Task::Zip { files, file_bytes, .. } => {
            (0..u64::from(*files)).map(|file| u64::from(crc32(&generated(file, *file_bytes)))).sum()
        }
        Task::HttpGet { .. } | Task::SmtpSend { .. } => unreachable!("it needs a server, and is not asked"),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
fn low_half(state: u64) -> u32 {
    state as u32
}

/// The generator, from this value.
pub(super) fn burn(value: u32, iterations: u64) -> u64 {
    let step = |value: u32, index: u64| {
        value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(low_half(index))
    };
    (0..iterations).fold(value, step).into()
}

fn is_prime(number: u64) -> bool {
    number == 2
        || number % 2 == 1 && (3..).step_by(2).take_while(|d| d * d <= number).all(|d| !number.is_multiple_of(d))
}

/// The text of a generated file.
fn generated(file: u64, size: u64) -> Vec<u8> {
    let lines = (0..=size / 26).map(|line| format!("{line:08} {:016x}\n", mix((file << 32).wrapping_add(line))));
    let mut text = lines.collect::<String>().into_bytes();
    text.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    text
}

/// The CRC-32 of zlib: polynomial 0xedb88320, reflected, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_vectors_of_the_protocol_come_out() {
        let three = Shape { tasks: 3, steps: 2, first_task: 0, workers: 1 };
        let vectors = [
            (Task::SumOfSquares { n: 1000 }, "392b335512cb73e2"),
            (Task::Burn { iterations: 1000 }, "6e063629c47668d3"),
            (Task::Primes { limit: 1000 }, "a05665f1fc74ecd7"),
            (Task::Wait { io_ns: 5 }, "8cad1aa27a347479"),
            (Task::WaitAndBurn { io_ns: 5, iterations: 1000 }, "6e063629c47668d3"),
        ];
        for (task, expected) in vectors {
            assert_eq!(checksum(&task, three).to_string(), expected, "{}", task.op());
        }
        assert_eq!(burn(0, 1000), 4_151_522_868);
    }

    #[test]
    fn a_crc_is_that_of_zlib() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_generated_file_has_lines_of_26_bytes_and_is_cut_off() {
        let text = String::from_utf8(generated(0, 30)).unwrap();
        assert_eq!(text, "00000000 0000000000000000\n0000");
        assert_eq!(generated(0, 52).last(), Some(&b'\n'));
        assert_ne!(generated(0, 52), generated(1, 52));
    }
}
