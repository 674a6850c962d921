import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import {
  type ArtifactGenerator,
  type GeneratorSource,
  namespaceOfSource,
} from '../../foundations/kinds/artifact-generator.ts'
import { isMadeElsewhere } from '../../foundations/kinds/external-artifact.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { OtherDigest } from '../source-artifact/read-artifact.ts'
import type { Source } from '../source-artifact/source.ts'
import type { Context } from './context.ts'
import { sourcesFailed } from './halts.ts'

/** Where an artifact says which revision it was made of. */
export const originRevision = 'org.opencontainers.image.revision'

/** The current artifact of a source. */
export interface ObservedSource {
  readonly artifact: Artifact
  /** Another controller serves it. */
  readonly isForeign: boolean
}

/** By alias. */
export type ObservedSources = ReadonlyMap<string, ObservedSource>

/** The sources of a generator, whose namespaces were checked. Halts if one is missing, or has no artifact. */
export const observeSources = async (generator: ArtifactGenerator, context: Context): Promise<ObservedSources> => {
  const observed = new Map<string, ObservedSource>()
  for (const source of generator.spec.sources) {
    const found = await observe(generator, source, context)
    if (typeof found === 'string')
      throw sourcesFailed(`get sources failed: ${found}`, context.settings.requeueDependencyMs)
    observed.set(source.alias, found)
  }
  return observed
}

/** The source, or what is wrong with it. */
const observe = async (
  generator: ArtifactGenerator,
  source: GeneratorSource,
  { references, settings }: Context,
): Promise<ObservedSource | string> => {
  const { kind, name } = source
  const namespace = namespaceOfSource(generator, source)
  const found = await references
    .anywhere<Source>(generator, { group: sourceGroup, kind }, { namespace, name }, settings)
    .catch((error: unknown) => `unable to get source '${namespace}/${name}': ${errorMessage(error)}`)
  if (typeof found === 'string') return found
  if (!found) return `${kind}.${sourceGroup} "${name}" not found`
  const isForeign = isMadeElsewhere(found)
  const artifact = isForeign ? found.status?.artifact : artifactOf(found)
  return artifact ? { artifact, isForeign } : `source '${kind}/${namespace}/${name}' is not ready`
}

/** A checksum of what was observed: while it is the same, there is nothing to make. Equal to source-watcher's. */
export const digestOfSources = (sources: ObservedSources): string => {
  const parts = sources.entries().map(
    ([
      alias,
      {
        artifact: { digest, revision, url },
      },
    ]) => `${alias}=[digest=${digest},revision=${revision},url=${url}]`,
  )
  return sha256Digest([...parts].sort().join('|'))
}

/** Worded as by Flux's fetcher. */
const otherDigest = ({ digest }: Artifact): string =>
  `failed to verify archive: computed digest doesn't match provided '${digest}' (check whether file size exceeds max download size)`

/** The files of all sources, by alias. Halts if one is lost or damaged: its source then fetches it again. */
export const fetchSources = async (
  sources: ObservedSources,
  { readSource, download, settings }: Context,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SourceTree>> => {
  const trees = new Map<string, SourceTree>()
  for (const [alias, { artifact, isForeign }] of sources) {
    signal.throwIfAborted()
    const fetchFailed = (why: string, cause?: unknown) =>
      sourcesFailed(`fetch sources failed: ${why}`, settings.requeueDependencyMs, cause)
    const tree = await readSource(artifact, isForeign ? download : undefined).catch((error: unknown) => {
      throw fetchFailed(error instanceof OtherDigest ? otherDigest(artifact) : errorMessage(error), error)
    })
    if (!tree) throw fetchFailed('artifact not found')
    trees.set(alias, tree)
  }
  return trees
}
