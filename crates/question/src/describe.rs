//! Describes questions in OpenAPI: parameters from the arguments, answers from their schemas.

use std::any::TypeId;

use clap::{Arg, Command};
use tabiya_chess::chi_square::ChiSquare;
use tabiya_retrieval::GameNumber;
use utoipa::openapi::{
    Components, Content, HttpMethod, ObjectBuilder, OpenApi, PathItem, Ref, RefOr, Required,
    ResponseBuilder, Schema, Type,
    path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn},
    schema::AdditionalProperties,
};

use crate::{Entry, QUESTIONS, list::Schemas};

/// The path under which questions are answered.
pub const ROOT: &str = "/api/v1/";

/// Example values of parameters whose type says too little.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "fen",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    ),
    ("other", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"),
    ("moves", "Bb5 a6"),
    ("last_move", "b8c6"),
    ("query", "flipcolor {Pd4 pd5 not Pc1-8}"),
    ("where", "@iqp"),
    ("elo", "2400-2600"),
    ("date", "1990-1999"),
    ("eco", "B20-B99"),
    ("result", "1-0,0-1"),
    ("source", "archive"),
    ("exclude_game", "12,345"),
    ("side_to_move", "same"),
    ("material", "same"),
    ("pieces", "10-20"),
    ("weights", "place=1,attack=2"),
    ("run", "CombAll"),
    ("rating", "1500-1800"),
    ("theme", "fork"),
    ("pgn", "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7 1-0"),
    ("line", "Nxe5"),
    ("against", "Morphy"),
    ("decode", "000000000800000800002e"),
];

/// Adds all questions to an OpenAPI description.
pub fn add(description: &mut OpenApi) {
    let components = description.components.get_or_insert_with(Components::new);
    let mut schemas: Schemas = vec![("Document".to_owned(), document().into())];
    for entry in QUESTIONS {
        let answer = (entry.schemas)(&mut schemas);
        let item = PathItem::new(HttpMethod::Get, entry.operation(answer));
        let path = format!("{ROOT}{}", entry.path);
        description.paths.paths.insert(path, item);
    }
    schemas.iter_mut().for_each(|it| require_all(&mut it.1));
    components.schemas.extend(schemas);
}

/// Marks all fields as required: answers contain every field, even if it is `null`. Schemas that
/// list their required fields stay unchanged.
fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(it)) if it.additional_properties.is_none() => {
            it.required = it.properties.keys().cloned().collect();
        }
        RefOr::T(Schema::AllOf(it)) => it.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

/// The fields that all answers share.
fn document() -> Schema {
    let field = |kind, words| {
        let field = ObjectBuilder::new().schema_type(kind);
        field.description(Some(words))
    };
    let settings = field(Type::Object, "The parameters in force, defaults included")
        .additional_properties(Some(AdditionalProperties::FreeForm(true)));
    let document = ObjectBuilder::new()
        .property(
            "schema",
            field(Type::Integer, "The version of the answer format"),
        )
        .property("question", field(Type::String, "The name of the question"))
        .property("settings", settings)
        .property(
            "took_ms",
            field(Type::Number, "The response time in milliseconds"),
        );
    let names = ["schema", "question", "settings", "took_ms"].into_iter();
    names.fold(document, ObjectBuilder::required).into()
}

impl Entry {
    /// The OpenAPI operation of the question.
    fn operation(&self, answer: RefOr<Schema>) -> Operation {
        let json = |schema| Content::new(Some(schema));
        let response = |words: &str, schema| {
            let response = ResponseBuilder::new().description(words);
            response.content("application/json", json(schema)).build()
        };
        let problem = || RefOr::from(Ref::from_schema_name("Problem"));
        let mut operation = OperationBuilder::new()
            .operation_id(Some(self.name))
            .summary(Some(self.about))
            .description(Some(format!(
                "The answer is what `tabiya {} --json` prints.",
                self.name
            )))
            .response("200", response("The answer", answer))
            .response("400", response("A parameter is invalid", problem()))
            .response(
                "503",
                response(
                    "The server is busy, or the request took too long",
                    problem(),
                ),
            );
        if self.path.contains('{') {
            operation = operation.response("404", response("Not found", problem()));
        }
        let command = (self.command)();
        let parameters = parameters(&command, self);
        operation.parameters(Some(parameters)).build()
    }
}

fn parameters(command: &Command, entry: &Entry) -> Vec<Parameter> {
    let arguments = command.get_arguments();
    arguments.map(|it| parameter(it, entry)).collect()
}

fn parameter(argument: &Arg, entry: &Entry) -> Parameter {
    let name = argument.get_id().as_str();
    let in_path = entry.path.contains(&format!("{{{name}}}"));
    let place = match in_path {
        true => ParameterIn::Path,
        false => ParameterIn::Query,
    };
    let required = match in_path || argument.is_required_set() {
        true => Required::True,
        false => Required::False,
    };
    let help = argument.get_help().map(ToString::to_string);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(help)
        .schema(Some(schema(argument, entry)))
        .build()
}

fn schema(argument: &Arg, entry: &Entry) -> Schema {
    let name = argument.get_id().as_str();
    let kind = kind(argument);
    let mut schema = ObjectBuilder::new().schema_type(kind.clone());
    if let Some(&(_, least, greatest)) = entry.limits.iter().find(|it| it.0 == name) {
        schema = schema.minimum(Some(least)).maximum(Some(greatest));
    } else if kind == Type::Integer {
        schema = schema.minimum(Some(0.0));
    }
    let values = argument.get_possible_values();
    if kind == Type::String && !values.is_empty() {
        let names: Vec<String> = values.iter().map(|it| it.get_name().to_owned()).collect();
        schema = schema.enum_values(Some(names));
    }
    if let Some(default) = argument
        .get_default_values()
        .first()
        .and_then(|it| it.to_str())
    {
        let value = serde_json::from_str(default)
            .ok()
            .filter(|_| kind != Type::String);
        schema = schema.default(Some(value.unwrap_or_else(|| default.into())));
    }
    let example = EXAMPLES.iter().find(|it| it.0 == name);
    if let Some((_, example)) = example.filter(|_| kind != Type::Boolean) {
        schema = schema.examples([*example]);
    }
    schema.into()
}

fn kind(argument: &Arg) -> Type {
    let parsed = argument.get_value_parser().type_id();
    let is = |id: TypeId| parsed == id;
    let integers = [
        TypeId::of::<usize>(),
        TypeId::of::<u64>(),
        TypeId::of::<u32>(),
        TypeId::of::<u16>(),
        TypeId::of::<u8>(),
        TypeId::of::<GameNumber>(),
    ];
    let is_text = EXAMPLES.iter().any(|it| it.0 == argument.get_id().as_str());
    if is(TypeId::of::<bool>()) {
        Type::Boolean
    } else if is_text {
        Type::String
    } else if integers.into_iter().any(is) {
        Type::Integer
    } else if is(TypeId::of::<f64>()) || is(TypeId::of::<ChiSquare>()) {
        Type::Number
    } else {
        Type::String
    }
}
