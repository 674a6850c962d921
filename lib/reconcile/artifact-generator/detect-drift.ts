import { type Artifact, artifactOf, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import type { ArtifactGenerator, GeneratedArtifact } from '../../foundations/kinds/artifact-generator.ts'
import { externalArtifact } from '../../foundations/kinds/external-artifact.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { isCheckDue } from '../source-artifact/store-checks.ts'
import { intervalMs } from './artifact-generator-address.ts'
import type { Context } from './context.ts'
import { outputsOf } from './outputs.ts'

/** Why artifacts must be made again, in source-watcher's words; undefined if all is as the last pass left it. */
export const detectDrift = async (
  generator: ArtifactGenerator,
  sourcesDigest: string,
  pass: Pass<ArtifactGenerator>,
  context: Context,
): Promise<string | undefined> => {
  const { spec, status, metadata } = generator
  const inventory = status?.inventory ?? []
  const ready = conditionOf(status?.conditions, 'Ready')
  if (ready?.status !== 'True') return 'NotReady'
  if (ready.observedGeneration !== metadata.generation) return 'GenerationChanged'
  if (status?.observedSourcesDigest !== sourcesDigest) return 'SourcesChanged'
  if (!spec.pathPattern && inventory.length !== spec.artifacts.length) return 'ArtifactsChanged'
  for (const item of isStoreChecked(generator, pass, context) ? inventory : []) {
    const artifact = storedOf(item)
    const state = await context.artifacts.check(blobNameOf(artifact), artifact.digest)
    if (state === 'sound') continue
    // Blobs are written once: a damaged one must be deleted before it can be stored again.
    if (state === 'damaged' && !pass.dryRun) await context.artifacts.delete(blobNameOf(artifact))
    return state === 'damaged' ? 'ArtifactCorrupted' : 'ArtifactMissing'
  }
  const outputs = await outputsOf(generator, context, pass)
  const digests = new Map(inventory.map(({ name, digest }) => [name, digest]))
  const isWhole =
    outputs.length === inventory.length &&
    outputs.every(output => digests.get(output.metadata.name) === (artifactOf(output)?.digest ?? ''))
  return isWhole ? undefined : 'ExternalArtifactsChanged'
}

/** Passes always check that the artifacts are stored, dry runs now and then where that costs a request. */
const isStoreChecked = (generator: ArtifactGenerator, pass: Pass<ArtifactGenerator>, { settings }: Context): boolean =>
  pass.dryRun === undefined ||
  isCheckDue(generator, { now: pass.startedAt, intervalMs, everyMs: settings.checkEveryMs ?? 0 })

/** Where the artifact of an item is stored. */
const storedOf = ({ namespace, name, digest, filename }: GeneratedArtifact): Pick<Artifact, 'path' | 'digest'> => ({
  path: `${folderOf({ kind: externalArtifact.kind, metadata: { namespace, name } })}${filename}`,
  digest,
})
