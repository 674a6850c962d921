import { type Artifact, artifactOf, authorOf } from '../../foundations/kinds/artifact.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { isMadeElsewhere } from '../../foundations/kinds/external-artifact.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { retryIntervalOf, sourceNamespaceOf } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { AccessDenied, requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import { Halt } from '../runtime/halt.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { pinnedArtifact } from '../source-artifact/pinned-artifact.ts'
import { requesterOf } from '../source-artifact/requester.ts'
import { failure } from './failure.ts'
import type { KustomizationSettings } from './settings.ts'

const group = 'source.toolkit.fluxcd.io'

interface SourcePorts {
  readonly references: References
  readonly settings: KustomizationSettings
}

type Source = KubernetesObject & { readonly status?: { readonly artifact?: Artifact } }

/** The artifact to build from. */
export interface ResolvedSource {
  readonly artifact: Artifact
  /** Another controller has made it: it is downloaded from its URL, never read from the store. */
  readonly isForeign: boolean
  /** Who has pushed it, or else the author of its commit, as far as is known. */
  readonly author?: string | undefined
}

/** The artifact to build from. Halts if the source may not be used, is missing, or has no artifact yet. */
export const resolveSource = async (
  kustomization: Kustomization,
  { references, settings }: SourcePorts,
  note: Pass<Kustomization>['note'] = () => {},
): Promise<ResolvedSource> => {
  const { kind, name } = kustomization.spec.sourceRef
  const namespace = sourceNamespaceOf(kustomization)
  requireAllowed(kustomization, settings)
  const source = await getSource(kustomization, { references, settings }).catch(error => {
    throw failure('ArtifactFailed', `unable to get source '${kind}/${namespace}/${name}': ${errorMessage(error)}`, {
      cause: error,
    })
  })
  if (!source) {
    throw failure('ArtifactFailed', `${kind}.${group} "${name}" not found`, {
      afterMs: retryIntervalOf(kustomization),
      event: null,
      isWait: true,
    })
  }
  const pinned = await pinnedArtifact(kustomization, references).catch(error => {
    throw failure('ArtifactFailed', errorMessage(error), { cause: error })
  })
  const isForeign = !pinned && isMadeElsewhere(source)
  const artifact = pinned ?? (isForeign ? source.status?.artifact : artifactOf(source))
  if (!artifact) throw sourceNotReady('Source artifact not found', settings)
  const pushedBy = requesterOf(source)
  const author = authorOf(artifact)
  note({ pushedBy, author })
  return { artifact, isForeign, author: pushedBy ?? author }
}

/** Whether the source, or the unit's pin, still has this revision, as far as is known. */
export const isAtRevision = async (
  kustomization: Kustomization,
  revision: string,
  ports: SourcePorts,
): Promise<boolean> => {
  const source = await getSource(kustomization, ports)
  const pinned = await pinnedArtifact(kustomization, ports.references).catch(() => undefined)
  return (pinned ?? source?.status?.artifact)?.revision === revision || !source
}

const getSource = (
  kustomization: Kustomization,
  { references, settings }: SourcePorts,
): Promise<Source | undefined> => {
  const { kind, name } = kustomization.spec.sourceRef
  const place = { namespace: sourceNamespaceOf(kustomization), name }
  return references.anywhere<Source>(kustomization, { group, kind }, place, settings)
}

/** A new artifact enqueues this Kustomization; polling makes up for a lost message. */
export const sourceNotReady = (what: string, { requeueDependencyMs }: KustomizationSettings): Halt<Kustomization> =>
  failure('ArtifactFailed', `${what}, retrying in ${formatDuration(requeueDependencyMs)}`, {
    afterMs: requeueDependencyMs,
    event: null,
    isWait: true,
  })

const requireAllowed = (kustomization: Kustomization, settings: KustomizationSettings): void => {
  const { kind, name } = kustomization.spec.sourceRef
  const reference = { kind, namespace: sourceNamespaceOf(kustomization), name }
  try {
    requireNamespaceAllowed(reference, kustomization.metadata.namespace ?? '', settings)
    if (kind === 'ExternalArtifact' && !settings.externalArtifact)
      throw new AccessDenied(reference, 'ExternalArtifact feature gate is disabled')
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error
    throw new Halt<Kustomization>({ type: 'stalled', reason: 'AccessDenied', message: error.message, unobserved: true })
  }
}
