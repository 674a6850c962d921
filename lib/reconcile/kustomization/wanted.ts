import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { Pass, StatusUpdate } from '../runtime/reconciler.ts'
import { buildManifests, type Manifests } from './build/build-manifests.ts'
import { type Locate, locateIn } from './build/locate.ts'
import { sourceFolder } from './build/source-path.ts'
import type { Context } from './context.ts'
import { type Revision, revisionOf } from './events.ts'
import { orFailure } from './failure.ts'
import { reportIgnoredFields } from './ignored-fields.ts'
import { type ResolvedSource, sourceNotReady } from './resolve-source.ts'
import type { StoredBuild } from './undo/build-store.ts'

/** What a pass is to apply. */
export interface Wanted {
  readonly revision: Revision
  /** Who has caused the change, as far as is known. */
  readonly author?: string | undefined
  /** The artifact that it is built from; undefined if it was built before. */
  readonly artifact?: Artifact
  /** The generation of the unit whose change waits: this is what was approved before it. */
  readonly inPlaceOf?: number | undefined
  /** Reads what it is built from. Halts if that fails. */
  prepare(): Promise<Prepared>
}

export interface Prepared {
  /** For objects of the build: the place of a field in the source. */
  readonly locate: Locate
  /** Reports what is wrong with the source, though it can be built. */
  report?(): StatusUpdate<Kustomization>['conditions']
  build(): Promise<Manifests>
}

/** The build of a source's folder. */
export const fromSource = (
  kustomization: Kustomization,
  { artifact, isForeign, author }: ResolvedSource,
  pass: Pass<Kustomization>,
  context: Context,
): Wanted => {
  const { readSource, download, settings } = context
  const revision = revisionOf(artifact)
  return {
    ...{ revision, author, artifact },
    prepare: async () => {
      const files = await orFailure('ArtifactFailed', pass.signal, () =>
        readSource(artifact, isForeign ? download : undefined),
      )
      if (!files) throw sourceNotReady('Source is not ready, artifact not found', settings)
      const folder = sourceFolder(files, kustomization.spec.path)
      return {
        locate: locateIn(files, kustomization.spec),
        report: () => reportIgnoredFields(kustomization, { files, folder, revision }, pass),
        build: () =>
          orFailure('BuildFailed', pass.signal, () =>
            buildManifests(kustomization, { artifact, files, folder }, context, settings, pass.signal),
          ),
      }
    },
  }
}

/** What the unit has applied before. */
export const fromStored = ({ revision, manifests }: StoredBuild): Wanted => ({
  revision,
  prepare: async () => ({ locate: (_, origin) => origin, build: async () => manifests }),
})
