//! Places of variables, and zeros that no step reads.

use super::*;

#[test]
fn ended_variables_leave_their_places_to_others_of_their_size() {
    let mut recorder = Recorder::new();
    let x = recorder.parameter_slice(70).unwrap();
    let mut seen = Vec::new();
    for len in [70, 70, 5] {
        recorder
            .scope(|m| {
                let z = m.slice(len)?;
                m.set(z)?;
                m.scope(|m| m.slice(70).map(|inner| seen.push((z.0.place(), inner.0.place()))))
            })
            .unwrap();
    }
    assert_eq!(x.0.place(), 0);
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0].0, seen[0].1);
    assert_eq!(recorder.finish().vectors, [70, 70, 70, 5]);
}

#[test]
fn what_has_ended_is_unknown() {
    let mut recorder = Recorder::new();
    let mut other = Recorder::new();
    let mut ended = None;
    recorder.scope(|m| m.slice(3).map(|z| ended = Some(z))).unwrap();
    let strange = other.slice(3).unwrap();
    // has the place of both
    let z = recorder.slice(3).unwrap();
    for gone in [ended.unwrap(), strange] {
        assert_eq!(gone.0.place(), z.0.place());
        let unknown = |done: Result<_, _>| assert!(matches!(done, Err(StarError::Unknown { .. })));
        unknown(recorder.set(gone));
        unknown(recorder.copy(gone, z));
        unknown(recorder.while_some(gone, |_| Ok(())));
    }
    assert!(recorder.finish().instructions.is_empty());
}

#[test]
fn zeros_are_made_only_where_they_are_seen() {
    let mut recorder = Recorder::new();
    let x = recorder.parameter_slice(9).unwrap();
    let z = recorder.slice(9).unwrap();
    recorder.copy(z, x).unwrap();
    let y = recorder.slice(9).unwrap();
    let _unused = recorder.table(9, 9).unwrap();
    recorder.or(y, y, x).unwrap();
    let instructions = recorder.finish().instructions;
    let expected = [
        Op::Copy { z: z.0, x: x.0 },
        Op::Fill { z: y.0, ones: false },
        Op::Logic { logic: crate::Logic::Or, z: y.0, x: y.0, y: x.0 },
    ];
    assert_eq!(instructions, expected.map(Instruction::Do));
}
