import { ignoredFields } from '../clusters/apply/ignored-fields.ts'
import { planChanges } from '../clusters/apply/planned-changes.ts'
import { type Artifact, artifactOf } from '../foundations/kinds/artifact.ts'
import { type Kustomization, sourceNamespaceOf } from '../foundations/kinds/kustomization.ts'
import { describeRef, type KubernetesObject } from '../foundations/kinds/object.ts'
import { sourceGroup } from '../foundations/kinds/references.ts'
import { fieldManager } from '../reconcile/kustomization/apply-manifests.ts'
import { sourceFolder } from '../reconcile/kustomization/build/source-path.ts'
import { placedBuild } from '../reconcile/kustomization/place-on-hub.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { wasApplied } from '../reconcile/windows/applied-before.ts'
import { extract } from '../sources/artifact/extract.ts'
import { fileSystemOf } from '../sources/artifact/file-system.ts'
import { CommandFailed } from './command-failed.ts'
import { downloadArtifact } from './download-artifact.ts'
import type { HubAccess } from './hub-access.ts'
import {
  buildFrom,
  buildLocally,
  type LocalBuild,
  type LocalBuildOptions,
  type Lookup,
  lookupIn,
  requireFolder,
} from './local-build.ts'
import { instantClock, type LocalPlan, localPlan } from './local-plan.ts'
import { localTarget } from './local-target.ts'
import { isMaskedAlike } from './mask-sops.ts'

export interface PlanBuildOptions extends Pick<LocalBuildOptions, 'ignorePaths' | 'strictSubstitute' | 'buildLimits'> {
  /** A local folder in place of the source's artifact. */
  readonly path?: string
  /** Fails unless the hub has this revision. */
  readonly revision?: string
}

/** What applying a Kustomization would change on its cluster. Fails with CommandFailed, ApplyError or ClusterError. */
export const planKustomization = async (
  kustomization: Kustomization,
  hub: HubAccess,
  options: PlanBuildOptions,
): Promise<LocalPlan> => {
  const lookup = lookupIn(hub.cluster, hub.signal)
  const { built, revision } = await buildOf(kustomization, lookup, options)
  const { cluster, owner, hubSide, reference } = await localTarget(kustomization, hub, lookup)
  const { objects, originOf } = placedBuild(built, hubSide)
  const { spec, status } = kustomization
  const planned = await planChanges(cluster, objects, {
    owner,
    fieldManager,
    originOf,
    locate: built.locate,
    force: spec.force ?? false,
    ignored: ignoredFields(spec.ignore ?? []),
    overriddenManagers: defaultKustomizationSettings.overriddenManagers,
    inventory: status?.inventory?.entries ?? [],
    prune: spec.prune,
    clock: instantClock,
    signal: hub.signal,
  })
  const changes = planned.changes.filter(({ states }) => !states || !isMaskedAlike(states.before, states.after))
  const disclosure = { ...built.secrets, fieldManager }
  const unchanged = planned.unchanged + planned.changes.length - changes.length
  const found = {
    ...{ unit: kustomization, planned: { changes, unchanged }, disclosure },
    ...{ cluster, reference, revision, manifests: built.digest, isRepair: wasApplied(kustomization, built.digest) },
    errors: planned.failures.map(({ message }) => message),
  }
  return localPlan(found, hub)
}

interface PlannedBuild {
  readonly built: LocalBuild
  readonly revision?: string
}

const buildOf = async (
  kustomization: Kustomization,
  lookup: NonNullable<Lookup>,
  options: PlanBuildOptions,
): Promise<PlannedBuild> => {
  const { path, revision } = options
  if (path !== undefined) {
    if (revision !== undefined) throw new CommandFailed('--revision is that of the source: it does not go with --path')
    return { built: await buildLocally(kustomization, requireFolder(path, 2), lookup, options) }
  }
  const artifact = await artifactFor(kustomization, lookup)
  if (revision !== undefined && !isRevision(artifact.revision, revision))
    throw new CommandFailed(
      `the hub has revision ${artifact.revision}, not ${revision}: check that out, and pass its files with --path`,
    )
  const files = fileSystemOf(await extract(await downloadArtifact(artifact)))
  const source = { files, folder: sourceFolder(files, kustomization.spec.path) }
  return { built: await buildFrom(kustomization, source, lookup, options), revision: artifact.revision }
}

const artifactFor = async (kustomization: Kustomization, lookup: NonNullable<Lookup>): Promise<Artifact> => {
  const { kind, name } = kustomization.spec.sourceRef
  const ref = { group: sourceGroup, kind, namespace: sourceNamespaceOf(kustomization), name }
  const source = await lookup.get<KubernetesObject & { readonly status?: { readonly artifact?: Artifact } }>(ref)
  // The URL of an ExternalArtifact does not belong to the hub.
  const artifact = source && (kind === 'ExternalArtifact' ? source.status?.artifact : artifactOf(source))
  if (artifact) return artifact
  throw new CommandFailed(`${describeRef(ref)} has no artifact yet: pass its files with --path`)
}

/** Whether a text names a revision: as a whole, or the commit or digest in it by at least seven digits. */
export const isRevision = (revision: string, text: string): boolean =>
  revision === text || (/^[0-9a-f]{7,}$/.test(text) && (revision.split(':').at(-1) ?? '').startsWith(text))
