import { contentIdOf } from '../../foundations/kinds/announced-version.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import { type OciRepository, ociRepository } from '../../foundations/kinds/oci-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import type { References } from '../../hub/references/references.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { OciClient, OciSession } from '../../sources/oci/oci-client.ts'
import type { ArtifactVerifier } from '../../sources/verify/verify-artifact.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, Reconciler } from '../runtime/reconciler.ts'
import { announcementFor, isBehind, retryDelayMs } from '../source-artifact/announced-version.ts'
import { latestUrl, type StorageSettings, storeArtifact, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'
import { reportStored, upToDate, wasRequested } from '../source-artifact/events.ts'
import { tryCollectGarbage } from '../source-artifact/garbage.ts'
import {
  type Conditions,
  endDryRun,
  enqueueDependents,
  noticeNewRevision,
  storageFailed,
  succeeded,
} from '../source-artifact/outcomes.ts'
import { type SharedFetch, type SharedFetchPorts, sharedFetches } from '../source-artifact/shared-fetches.ts'
import { type SourceContext, sourceReconciler } from '../source-artifact/source-reconciler.ts'
import { sourceVisit } from '../source-artifact/visits.ts'
import { contentConfigChanged } from './content-config.ts'
import { type Access, loadAccess } from './load-access.ts'
import { type PulledLayer, pullLayer } from './pull-layer.ts'
import { type Resolved, resolveRevision, sharedRevision } from './resolve-revision.ts'
import { type OpenImages, sharedImages } from './shared-images.ts'
import { verifySignature } from './verify-signature.ts'

export interface OciRepositoryPorts extends SharedFetchPorts {
  readonly references: References
  readonly artifacts: ArtifactStore
  readonly oci: OciClient
  readonly cloudAccess: CloudAccessOf
  readonly signatures: ArtifactVerifier
  readonly clock: Clock
}

/** Stores an artifact with the content that an OCIRepository refers to, as source-controller does. */
export const ociRepositoryReconciler = (
  given: OciRepositoryPorts,
  settings: StorageSettings,
): Reconciler<OciRepository> => {
  const ports = { ...given, images: sharedImages(sharedFetches(given, settings)) }
  return sourceReconciler(
    {
      kind: ociRepository,
      intervalOf,
      isVisited: true,
      visitOf: sourceVisit,
      passTimeoutOf: (object: OciRepository) => timeoutOf(object) + 30_000,
      reconcileSource: async (at: SourceContext<OciRepository, Ports>) => {
        const { object, pass, ports } = at
        const access = await loadAccess(object, pass, ports.references, ports.cloudAccess)
        const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(object))])
        const session = ports.oci.open({ ...access, signal })
        return reconcileSource({ ...at, before: inCurrentForm(at.before), access, session }).finally(session.close)
      },
    },
    ports,
    settings,
  )
}

type Ports = OciRepositoryPorts & { readonly images: OpenImages }

interface RegistryContext extends SourceContext<OciRepository, Ports> {
  readonly access: Access
  readonly session: OciSession
}

const reconcileSource = async (at: RegistryContext): Promise<Done<OciRepository>> => {
  const { object, pass, ports, settings, access, session, before } = at
  const now = ports.clock.now()
  const announced = announcementFor(object, now)
  const expected = announced?.to === contentIdOf(before?.revision) ? undefined : announced?.to
  using images = ports.images(object, access)
  const isFirst = expected !== undefined && ((await images.open(expected))?.leads ?? true)
  const early = isFirst ? pullLayer(session, expected, object, pass).catch(() => undefined) : undefined
  const resolved = await (pass.dryRun
    ? sharedRevision(ports.oci, { access, object }, pass)
    : resolveRevision(session, access.repository, object, pass))
  if (before && isBehind(resolved.digest, announced))
    return { ...unchanged(at, before, {}), afterMs: retryDelayMs(announced, now) }
  const pull = async (): Promise<Pulled> => {
    endDryRun(pass, 'a new revision')
    const shared = await images.open(resolved.digest)
    const taken = await shared?.take(object, { file: fileOf(resolved), revision: resolved.revision }, pass.signal)
    if (taken) return taken
    const layer =
      (resolved.digest === expected ? await early : undefined) ??
      (await pullLayer(session, resolved.digest, object, pass))
    return { layer, shared }
  }
  const { pulled, verified } = await inspect(at, resolved, pull)
  if (!pulled) return unchanged(at, before!, verified)
  const artifact = 'artifact' in pulled ? pulled.artifact : await store(at, resolved, pulled.layer)
  if ('layer' in pulled) await pulled.shared?.give({ artifact, about: '' })
  reportStored(object, pass, storedFrom(object.spec.url, artifact), { artifact, before })
  await tryCollectGarbage(object, artifact, pass, ports, settings)
  return stored(at, artifact, verified)
}

/** The artifact of a shared fetch, or a layer that this pass pulls. */
type Pulled =
  | { readonly artifact: Artifact }
  | { readonly layer: PulledLayer; readonly shared: SharedFetch | undefined }

/** Converts the revision format of older versions of Flux, `<tag>/<hexadecimal digest>`. */
const inCurrentForm = (artifact: Artifact | undefined): Artifact | undefined => {
  const [, tag, hex] = /^(?:(.+)\/)?([0-9a-f]{64})$/.exec(artifact?.revision ?? '') ?? []
  return artifact && hex ? { ...artifact, revision: `${tag ? `${tag}@` : ''}sha256:${hex}` } : artifact
}

interface Findings {
  /** Absent if the stored artifact is current. */
  readonly pulled?: Pulled
  readonly verified: Conditions
}

/** Verifies and pulls a new revision. As in Flux, the event for it includes the result of verification. */
const inspect = async (at: RegistryContext, resolved: Resolved, pull: () => Promise<Pulled>): Promise<Findings> => {
  const isNew = at.before?.revision !== resolved.revision
  try {
    const verified = await verifySignature(at, resolved, isNew)
    if (!isNew && !contentConfigChanged(at.object)) return { verified }
    const pulled = await pull()
    if (isNew) await noticeNewDigest(at, resolved, { ...verified, FetchFailed: null })
    return { verified, pulled }
  } catch (error) {
    if (isNew && error instanceof Halt) {
      await noticeNewDigest(at, resolved, (error as Halt<OciRepository>).outcome.conditions ?? {})
    }
    throw error
  }
}

const noticeNewDigest = ({ before, pass }: RegistryContext, { revision, name }: Resolved, conditions: Conditions) =>
  noticeNewRevision(pass, before, `new revision '${revision}' for '${name}'`, conditions)

const fileOf = ({ digest }: Resolved): string => `${digest}.tar.gz`

const store = ({ object, ports, settings }: RegistryContext, resolved: Resolved, layer: PulledLayer) => {
  const what = object.spec.layerSelector?.operation === 'copy' ? 'copy' : 'archive'
  const { revision } = resolved
  return storeArtifact(object, { ...layer, file: fileOf(resolved), revision }, ports, settings).catch(
    storageFailed(`${what} artifact`),
  )
}

const origin = 'org.opencontainers.image'

/** Adds the origin, if the image's annotations have it. */
const storedFrom = (url: string, { revision, metadata = {} }: Artifact): string => {
  const [source, from] = [metadata[`${origin}.source`], metadata[`${origin}.revision`]]
  const madeFrom = source && from ? `, origin source '${source}', origin revision '${from}'` : ''
  return `stored artifact with revision '${revision}' from '${url}'${madeFrom}`
}

const unchanged = (
  { object, pass, settings }: RegistryContext,
  before: Artifact,
  verified: Conditions,
): Done<OciRepository> => {
  const artifact = withCurrentUrl(before, settings)
  if (wasRequested(object)) pass.event(upToDate(artifact.revision))
  reportStored(object, pass, storedFrom(object.spec.url, artifact), { artifact, before })
  return { ...succeeded(summary(artifact), verified), status: { artifact, url: urlOf({ object, settings }) } }
}

const stored = (
  { object, before, settings }: RegistryContext,
  artifact: Artifact,
  verified: Conditions,
): Done<OciRepository> => {
  const { ignore, layerSelector } = object.spec
  return {
    ...succeeded(summary(artifact), verified),
    status: {
      artifact,
      url: urlOf({ object, settings }),
      observedIgnore: ignore ?? null,
      observedLayerSelector: layerSelector ?? null,
    },
    ...enqueueDependents(artifact, before),
  }
}

const urlOf = ({ object, settings }: Pick<RegistryContext, 'object' | 'settings'>): string =>
  latestUrl(object, 'latest.tar.gz', settings)

const summary = ({ revision }: Artifact): string => `stored artifact for digest '${revision}'`
