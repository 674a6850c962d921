import { contentHash } from '../../engines/artifact-generator/content-hash.ts'
import { copyFiles } from '../../engines/artifact-generator/copy.ts'
import type { Entry, Files } from '../../engines/artifact-generator/files.ts'
import type { ArtifactRequest } from '../../engines/artifact-generator/path-pattern.ts'
import { sourceIgnore } from '../../engines/ignore/source-ignore.ts'
import { type Artifact, artifactOf, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import type { ExternalArtifact } from '../../foundations/kinds/external-artifact.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { archive } from '../../sources/artifact/archive.ts'
import { extract } from '../../sources/artifact/extract.ts'
import { storeArtifact, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import type { Context } from './context.ts'
import { failed } from './halts.ts'
import { type ObservedSources, originRevision } from './observe-sources.ts'

/** source-watcher packs artifacts with the default exclusions, whatever a `.sourceignore` among the files says. */
const ignores = sourceIgnore([])

export interface SourceFiles {
  readonly trees: ReadonlyMap<string, Files>
  readonly entriesOf: (files: Files) => readonly Entry[]
}

/**
 * Puts the files of an artifact together and stores them. An artifact with the content and the revision of the present one stays as it is.
 * Halts with BuildFailed if the files can't be put together.
 */
export const makeArtifact = async (
  request: ArtifactRequest,
  output: ExternalArtifact,
  observed: ObservedSources,
  { trees, entriesOf }: SourceFiles,
  context: Context,
): Promise<Artifact> => {
  const { name, copy } = request
  const buildFailed = (what: string) => (error: unknown) => {
    throw failed('BuildFailed', `${name} build failed: ${what}: ${errorMessage(error)}`, error)
  }
  const files = await copyFiles(copy, trees, { extract, entriesOf }).catch(
    buildFailed('failed to apply copy operations'),
  )
  const file = await fileOf(name, files).catch(buildFailed('failed to hash staging dir'))
  const { content, digest } = await archive(files, ignores)
  const origin = originOf(request, observed)
  const revision = revisionOf(request, observed) ?? `latest@${digest}`
  const metadata = origin === undefined ? undefined : { [originRevision]: origin }
  const present = artifactOf(output)
  if (present && isSame(present, { path: `${folderOf(output)}${file}`, revision, digest, metadata }))
    if ((await context.artifacts.check(blobNameOf(present), present.digest)) === 'sound')
      return withCurrentUrl(present, context.settings)
  return storeArtifact(
    output,
    { file, content, digest, revision, ...(metadata && { metadata }) },
    context,
    context.settings,
  ).catch(buildFailed('failed to create artifact'))
}

const fileOf = async (name: string, files: Files): Promise<string> => `${contentHash(name, files)}.tar.gz`

const isSame = (present: Artifact, wanted: Pick<Artifact, 'path' | 'revision' | 'digest' | 'metadata'>): boolean =>
  present.path === wanted.path &&
  present.revision === wanted.revision &&
  present.digest === wanted.digest &&
  isSameJson(present.metadata ?? {}, wanted.metadata ?? {})

const revisionOf = ({ revision }: ArtifactRequest, observed: ObservedSources): string | undefined =>
  revision ? observed.get(aliasIn(revision))?.artifact.revision : undefined

/** The revision that a source was made of itself, or else its own. */
const originOf = ({ originRevision: alias }: ArtifactRequest, observed: ObservedSources): string | undefined => {
  const source = alias ? observed.get(aliasIn(alias))?.artifact : undefined
  return source?.metadata?.[originRevision] || source?.revision
}

const aliasIn = (reference: string): string => reference.replace(/^@/, '')
