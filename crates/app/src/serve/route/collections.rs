//! `/api/v1/collections`: the collections of the server; `/api/v1/imports`: games that become part of them.

use std::{fs, path::PathBuf, sync::Arc};

use axum::{
    Json,
    body::Body as Bytes,
    extract::{Path, State as Shared},
    http::StatusCode,
};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::{fs::File, io::AsyncWriteExt, sync::Semaphore};
use utoipa::ToSchema;

use tabiya_chess::trap::library;
use tabiya_question::shape::Counts;
use tabiya_retrieval::exercise;

use crate::serve::{
    Problem, State,
    import::ImportProgress,
    problem::ProblemBody,
    request::{Body, in_time},
    shelf::{Served, file_at},
    work::apart,
};

/// Places for uploads, which last.
static UPLOADS: Semaphore = Semaphore::const_new(4);

/// A collection of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServedCollection {
    /// The name of the collection.
    name: String,
    #[serde(flatten)]
    counts: Counts,
    /// The number of opening plies that are not indexed.
    skip: u16,
    /// The number of known traps: from the library, and mined from the games.
    traps: usize,
    /// The number of exercises.
    exercises: usize,
    /// Whether the server may rename and delete it.
    own: bool,
}

/// List the collections.
#[utoipa::path(
    get,
    path = "/api/v1/collections",
    responses((status = 200, description = "The collections", body = Vec<ServedCollection>))
)]
pub(crate) async fn collections(
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<Vec<ServedCollection>>, Problem> {
    let all = state.shelf.all();
    let listed = state.work.run(move |_| {
        let listed = all.iter().map(|it| ServedCollection::new(it));
        listed.collect::<Result<Vec<_>, _>>()
    });
    Ok(Json(listed.await?))
}

impl ServedCollection {
    fn new(served: &Served) -> Result<ServedCollection, Problem> {
        let shards = served.shards();
        Ok(ServedCollection {
            name: served.name.clone(),
            counts: Counts::of(&shards),
            skip: shards.skip(),
            traps: library().len() + shards.traps()?.len(),
            exercises: exercise::count(shards.shards())?,
            own: served.is_own,
        })
    }
}

/// A name.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewName {
    name: String,
}

/// Rename a collection.
#[utoipa::path(
    post,
    path = "/api/v1/collections/{name}",
    params(("name" = String, Path, description = "Name of the collection")),
    request_body = NewName,
    responses(
        (status = 204, description = "The collection has its new name"),
        (status = 400, description = "The name is invalid or taken", body = ProblemBody),
        (status = 403, description = "The server may not change the collection", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
        (status = 413, description = "The body is too long", body = ProblemBody),
        (status = 415, description = "The body is not JSON", body = ProblemBody),
        (status = 422, description = "The body has no name", body = ProblemBody),
    )
)]
pub(crate) async fn rename(
    Shared(state): Shared<Arc<State>>,
    Path(name): Path<String>,
    Body(given): Body<NewName>,
) -> Result<StatusCode, Problem> {
    apart(move || state.shelf.rename(&name, &given.name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a collection with its files.
#[utoipa::path(
    delete,
    path = "/api/v1/collections/{name}",
    params(("name" = String, Path, description = "Name of the collection")),
    responses(
        (status = 204, description = "The collection is gone"),
        (status = 403, description = "The server may not change the collection", body = ProblemBody),
        (status = 404, description = "There is no such collection", body = ProblemBody),
    )
)]
pub(crate) async fn delete(
    Shared(state): Shared<Arc<State>>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    apart(move || state.shelf.delete(&name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Upload a file that an import will read. Files of one import share the name of the upload.
#[utoipa::path(
    put,
    path = "/api/v1/uploads/{upload}/{file}",
    params(
        ("upload" = String, Path, description = "A name for the upload: 8 to 64 letters and digits"),
        ("file" = String, Path, description = "Name of the file, such as games.pgn.zst"),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 204, description = "The file is there"),
        (status = 400, description = "A name is invalid, or the upload broke off", body = ProblemBody),
        (status = 403, description = "The server cannot keep collections", body = ProblemBody),
        (status = 408, description = "The client paused for too long", body = ProblemBody),
        (status = 503, description = "Too many uploads at once", body = ProblemBody),
    )
)]
pub(crate) async fn upload(
    Shared(state): Shared<Arc<State>>,
    Path((upload, file)): Path<(String, String)>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let _place = UPLOADS.try_acquire().map_err(|_| Problem::busy())?;
    let folder = state.shelf.upload_folder(&upload)?;
    let path = file_at(&folder, &file)?;
    let broken = Broken(Some(folder));
    let mut kept = File::create(&path).await.map_err(unwritten)?;
    let mut parts = body.into_data_stream();
    while let Some(part) = in_time(parts.next()).await? {
        let part = part.map_err(|_| Problem::request("the upload broke off; try again"))?;
        kept.write_all(&part).await.map_err(unwritten)?;
    }
    kept.flush().await.map_err(unwritten)?;
    broken.spare();
    Ok(StatusCode::NO_CONTENT)
}

fn unwritten(reason: std::io::Error) -> Problem {
    Problem::internal(&reason)
}

/// The folder of an upload that may break off, also because the client leaves. Then its files are deleted.
struct Broken(Option<PathBuf>);

impl Broken {
    fn spare(mut self) {
        self.0 = None;
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // What cannot be deleted now is deleted as an old upload later.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// What to import.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewImport {
    /// The name of the upload.
    upload: String,
    /// The collection that the games go to; a new one if there is none of this name.
    collection: String,
}

/// Import uploaded files.
#[utoipa::path(
    post,
    path = "/api/v1/imports",
    request_body = NewImport,
    responses(
        (status = 202, description = "The import has begun", body = ImportProgress),
        (status = 400, description = "A name is invalid, or the upload has no games", body = ProblemBody),
        (status = 403, description = "The server cannot keep collections", body = ProblemBody),
        (status = 413, description = "The body is too long", body = ProblemBody),
        (status = 415, description = "The body is not JSON", body = ProblemBody),
        (status = 422, description = "The fields are not those of an import", body = ProblemBody),
        (status = 503, description = "Too many imports at once", body = ProblemBody),
    )
)]
pub(crate) async fn begin(
    Shared(state): Shared<Arc<State>>,
    Body(given): Body<NewImport>,
) -> Result<(StatusCode, Json<ImportProgress>), Problem> {
    let begin = apart(move || {
        let folder = state.shelf.upload_folder(&given.upload)?;
        if !folder.is_dir() {
            return Err(Problem::request("upload the files first"));
        }
        let broken = Broken(Some(folder.clone()));
        let begun = state.imports.start(&state, &given.collection, folder)?;
        broken.spare();
        Ok(begun)
    });
    Ok((StatusCode::ACCEPTED, Json(begin.await?)))
}

/// List imports that run or ended lately.
#[utoipa::path(
    get,
    path = "/api/v1/imports",
    responses((status = 200, description = "The imports, the newest last", body = Vec<ImportProgress>))
)]
pub(crate) async fn imports(Shared(state): Shared<Arc<State>>) -> Json<Vec<ImportProgress>> {
    Json(state.imports.list())
}

/// Stop an import. The games indexed by then stay.
#[utoipa::path(
    delete,
    path = "/api/v1/imports/{id}",
    params(("id" = u64, Path, description = "Number of the import")),
    responses(
        (status = 204, description = "The import stops"),
        (status = 400, description = "The number is not one"),
        (status = 404, description = "There is no such import", body = ProblemBody),
    )
)]
pub(crate) async fn cancel(
    Shared(state): Shared<Arc<State>>,
    Path(id): Path<u64>,
) -> Result<StatusCode, Problem> {
    state.imports.cancel(id)?;
    Ok(StatusCode::NO_CONTENT)
}
