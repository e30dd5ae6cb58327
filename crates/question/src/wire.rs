//! A part as bytes, on its way from a machine that holds shards to one that merges. The name of
//! the question and the version of its shapes go first, so that no machine reads another's part.

use crate::{AskError, Question, document::SCHEMA};

pub(crate) fn pack<Q: Question>(part: &Q::Part) -> Result<Vec<u8>, AskError> {
    postcard::to_stdvec(&(Q::NAME, SCHEMA, part)).map_err(|error| AskError::Part(error.to_string()))
}

pub(crate) fn unpack<Q: Question>(bytes: &[u8]) -> Result<Q::Part, AskError> {
    let (name, schema, rest) = head(bytes).map_err(|error| AskError::Part(error.to_string()))?;
    if (name, schema) != (Q::NAME, SCHEMA) {
        let words = format!("it answers {name} in version {schema}");
        return Err(AskError::Part(words));
    }
    match postcard::take_from_bytes(rest) {
        Ok((part, [])) => Ok(part),
        Ok(_) => Err(AskError::Part("it is too long".to_owned())),
        Err(error) => Err(AskError::Part(error.to_string())),
    }
}

fn head(bytes: &[u8]) -> Result<(&str, u32, &[u8]), postcard::Error> {
    let ((name, schema), rest) = postcard::take_from_bytes::<(&str, u32)>(bytes)?;
    Ok((name, schema, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{encode::Encode, record::Record};

    #[test]
    fn foreign_parts_are_rejected() {
        let part = pack::<Encode>(&()).unwrap();
        assert!(unpack::<Encode>(&part).is_ok());
        assert!(unpack::<Record>(&part).is_err());
        assert!(unpack::<Encode>(&[part.as_slice(), &[0]].concat()).is_err());
        assert!(unpack::<Encode>(&part[..3]).is_err());
        assert!(unpack::<Encode>(&[]).is_err());
    }
}
