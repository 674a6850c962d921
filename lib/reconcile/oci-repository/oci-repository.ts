import type { Hub } from '../../hub/hub.ts'
import type { Artifact } from '../../kinds/artifact.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import { type OciRepository, ociRepository } from '../../kinds/oci-repository.ts'
import { timeoutOf } from '../../kinds/source-fields.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { isConditionTrue, type NewCondition } from '../../rules/conditions.ts'
import type { OciClient, OciVisit } from '../../source/oci/oci-client.ts'
import type { ArtifactVerifier } from '../../source/verify/verify-artifact.ts'
import { Halt, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import {
  findStored,
  latestUrlOf,
  type StorageSettings,
  storeArtifact,
  withCurrentUrl,
} from '../source-artifact/artifact-storage.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'
import { finalizeSource, tidyUp } from '../source-artifact/garbage.ts'
import { contentConfigChanged } from './content-config.ts'
import { artifactStored, upToDate } from './events.ts'
import { storageFailed, wordsOf } from './halts.ts'
import { type Access, loadAccess } from './load-access.ts'
import { type PulledLayer, pullLayer } from './pull-layer.ts'
import { type Resolved, resolveRevision } from './resolve-revision.ts'
import { verifySignature } from './verify-signature.ts'

export interface OciRepositoryPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly oci: OciClient
  readonly cloudAccess: CloudAccessOf
  readonly signatures: ArtifactVerifier
  readonly clock: Clock
}

type OciPass = Pass<OciRepository>

/** Keeps an artifact of the content that an OCIRepository refers to, as source-controller does. */
export const ociRepositoryReconciler = (
  ports: OciRepositoryPorts,
  settings: StorageSettings,
): Reconciler<OciRepository> => ({
  kind: ociRepository,
  stage: 'source',
  manager: 'source-controller',
  intervalOf,
  passTimeoutOf: object => timeoutOf(object) + 30_000,
  reconcile: (object, pass) => attempt(object, pass, ports, settings).catch(outcomeOfHalt),
  finalize: (object, pass) => finalizeSource(object, pass, ports.artifacts),
})

/** One look at the registry for one object. */
interface Look {
  readonly object: OciRepository
  readonly pass: OciPass
  readonly ports: OciRepositoryPorts
  readonly settings: StorageSettings
  readonly access: Access
  readonly visit: OciVisit
  /** The artifact of the last pass, as far as it is still stored. */
  readonly before: Artifact | undefined
}

const attempt = async (
  object: OciRepository,
  pass: OciPass,
  ports: OciRepositoryPorts,
  settings: StorageSettings,
): Promise<Done<OciRepository>> => {
  await pass.open()
  const before = inCurrentForm(await findStored(object, pass, ports.artifacts))
  const access = await loadAccess(object, pass, ports.hub, ports.cloudAccess)
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(object))])
  const visit = ports.oci.visit({ ...access, signal })
  const look: Look = { object, pass, ports, settings, access, visit, before }
  try {
    const resolved = await resolveRevision(visit, access.repository, object, pass)
    const { layer, verified } = await inspect(look, resolved)
    if (!layer) return unchanged(look, withCurrentUrl(before!, settings), verified)
    const artifact = await store(look, resolved, layer)
    if (artifact.digest !== before?.digest) pass.event(artifactStored('NewArtifact', object.spec.url, artifact))
    else noticeRecovery(look, artifact)
    await tidyUp(object, artifact, pass, ports, settings)
    return stored(look, artifact, verified)
  } finally {
    await visit.close()
  }
}

/** The revision as it is written now: an object that was brought along from an older Flux has `<tag>/<hexadecimal digest>`. */
const inCurrentForm = (artifact: Artifact | undefined): Artifact | undefined => {
  const [, tag, hex] = /^(?:(.+)\/)?([0-9a-f]{64})$/.exec(artifact?.revision ?? '') ?? []
  return artifact && hex ? { ...artifact, revision: `${tag ? `${tag}@` : ''}sha256:${hex}` } : artifact
}

interface Findings {
  /** Absent when the stored artifact is what would be made of it now. */
  readonly layer?: PulledLayer
  readonly verified: Conditions
}

type Conditions = Readonly<Record<string, NewCondition | null>>

/** Verifies and fetches what is new. Of a new revision people learn together with what came of this, as in Flux. */
const inspect = async (look: Look, resolved: Resolved): Promise<Findings> => {
  const isNew = look.before?.revision !== resolved.revision
  try {
    const verified = await verifySignature(look, resolved, isNew)
    if (!isNew && !contentConfigChanged(look.object)) return { verified }
    const layer = await pullLayer(look.visit, resolved.digest, look.object, look.pass)
    if (isNew) await noticeNewRevision(look, resolved, { ...verified, FetchFailed: null })
    return { verified, layer }
  } catch (error) {
    if (isNew && error instanceof Halt) {
      await noticeNewRevision(look, resolved, (error as Halt<OciRepository>).outcome.conditions ?? {})
    }
    throw error
  }
}

const noticeNewRevision = async ({ before, pass }: Look, { revision, name }: Resolved, conditions: Conditions) => {
  const message = `new revision '${revision}' for '${name}'`
  const ArtifactOutdated = { status: 'True', reason: 'NewRevision', message } as const
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { ...conditions, ArtifactOutdated: before ? ArtifactOutdated : null },
  })
}

const store = (look: Look, { digest, revision }: Resolved, layer: PulledLayer): Promise<Artifact> => {
  const { object, ports, settings } = look
  return storeArtifact(object, { ...layer, file: `${digest}.tar.gz`, revision }, ports, settings).catch(error => {
    const what = object.spec.layerSelector?.operation === 'copy' ? 'copy' : 'archive'
    throw storageFailed(`unable to ${what} artifact to storage: ${wordsOf(error)}`, error)
  })
}

/** People are told of it when they asked or changed the spec, but not every interval anew: that would cost a write. */
const unchanged = (look: Look, artifact: Artifact, verified: Conditions): Done<OciRepository> => {
  const { metadata, status } = look.object
  const isNew = metadata.generation !== status?.observedGeneration
  const isAsked = requestedAtOf(look.object) !== status?.lastHandledReconcileAt
  if (isNew || isAsked) look.pass.event(upToDate(artifact.revision))
  noticeRecovery(look, artifact)
  return { ...succeeded(artifact, verified), status: { artifact, url: urlOf(look) } }
}

const noticeRecovery = ({ object, pass }: Look, artifact: Artifact): void => {
  const failures = ['FetchFailed', 'StorageOperationFailed']
  const hadFailed = failures.some(type => isConditionTrue(object.status?.conditions, type))
  if (hadFailed) pass.event(artifactStored('Succeeded', object.spec.url, artifact))
}

const stored = (look: Look, artifact: Artifact, verified: Conditions): Done<OciRepository> => {
  const { object, before } = look
  const { ignore, layerSelector } = object.spec
  const isNews = artifact.digest !== before?.digest || artifact.revision !== before.revision
  return {
    ...succeeded(artifact, verified),
    status: {
      artifact,
      url: urlOf(look),
      observedIgnore: ignore ?? null,
      observedLayerSelector: layerSelector ?? null,
    },
    ...(isNews && { announce: 'artifact' }),
  }
}

const urlOf = ({ object, settings }: Look): string => latestUrlOf(object, 'latest.tar.gz', settings)

const succeeded = ({ revision }: Artifact, verified: Conditions): Done<OciRepository> => {
  const [reason, message] = ['Succeeded', `stored artifact for digest '${revision}'`]
  return {
    type: 'done',
    reason,
    message,
    conditions: {
      ...verified,
      ArtifactInStorage: { status: 'True', reason, message },
      ArtifactOutdated: null,
      FetchFailed: null,
      StorageOperationFailed: null,
    },
  }
}
