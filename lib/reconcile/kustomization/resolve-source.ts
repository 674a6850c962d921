import type { Hub } from '../../hub/hub.ts'
import { type Artifact, artifactOf } from '../../kinds/artifact.ts'
import { formatDuration } from '../../kinds/duration.ts'
import type { Kustomization } from '../../kinds/kustomization.ts'
import { retryIntervalOf, sourceNamespaceOf } from '../../kinds/kustomization.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { wordsOf } from '../../rules/words-of-error.ts'
import { Halt } from '../runtime/halt.ts'
import { failure } from './failure.ts'
import type { KustomizationSettings } from './settings.ts'

const group = 'source.toolkit.fluxcd.io'

type Source = KubernetesObject & { readonly status?: { readonly artifact?: Artifact } }

/** The artifact to build from. Halts when the source may not be used, is missing, or has no artifact yet. */
export const resolveSource = async (
  hub: Pick<Hub, 'get'>,
  kustomization: Kustomization,
  settings: KustomizationSettings,
): Promise<Artifact> => {
  const { kind, name } = kustomization.spec.sourceRef
  const namespace = sourceNamespaceOf(kustomization)
  requireAllowed(kustomization, namespace, settings)
  const source = await getSource(hub, kustomization).catch(error => {
    throw failure('ArtifactFailed', `unable to get source '${kind}/${namespace}/${name}': ${wordsOf(error)}`, {
      cause: error,
    })
  })
  if (!source) {
    throw failure('ArtifactFailed', `${kind}.${group} "${name}" not found`, {
      afterMs: retryIntervalOf(kustomization),
      event: null,
    })
  }
  // Others serve what an ExternalArtifact names: it is downloaded, never read from the store.
  const artifact = kind === 'ExternalArtifact' ? source.status?.artifact : artifactOf(source)
  if (!artifact) throw sourceNotReady('Source artifact not found', settings)
  return artifact
}

/** Whether the source still has this revision, as far as can be told. */
export const isAtRevision = async (
  hub: Pick<Hub, 'get'>,
  kustomization: Kustomization,
  revision: string,
): Promise<boolean> => {
  const source = await getSource(hub, kustomization)
  return source?.status?.artifact?.revision === revision || !source
}

const getSource = (hub: Pick<Hub, 'get'>, kustomization: Kustomization): Promise<Source | undefined> => {
  const { kind, name } = kustomization.spec.sourceRef
  return hub.get<Source>({ group, kind, namespace: sourceNamespaceOf(kustomization), name })
}

/** The source will announce its artifact; looking again now and then is the net under that. */
export const sourceNotReady = (what: string, { requeueDependencyMs }: KustomizationSettings): Halt<Kustomization> =>
  failure('ArtifactFailed', `${what}, retrying in ${formatDuration(requeueDependencyMs)}`, {
    afterMs: requeueDependencyMs,
    event: null,
  })

const requireAllowed = (kustomization: Kustomization, namespace: string, settings: KustomizationSettings): void => {
  const { kind, name } = kustomization.spec.sourceRef
  const denied = (why: string): Halt<Kustomization> =>
    new Halt({
      type: 'stalled',
      reason: 'AccessDenied',
      message: `can't access '${kind}/${namespace}/${name}', ${why}`,
      unobserved: true,
    })
  if (settings.noCrossNamespaceRefs && namespace !== kustomization.metadata.namespace) {
    throw denied('cross-namespace references have been blocked')
  }
  if (kind === 'ExternalArtifact' && !settings.externalArtifact) {
    throw denied('ExternalArtifact feature gate is disabled')
  }
}
