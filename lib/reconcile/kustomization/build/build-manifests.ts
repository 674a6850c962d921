import { hash } from 'node:crypto'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { Helm, PullChart } from '../../../engines/kustomize/generators/helm.ts'
import { postBuildFailed, takesVariables } from '../../../engines/substitute/substitute-variables.ts'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { Artifact } from '../../../foundations/kinds/artifact.ts'
import type { Kustomization, KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import { sourceNamespaceOf } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { References } from '../../../hub/references/references.ts'
import type { OffThread } from '../../../platform/ports/off-thread.ts'
import { hereOrElsewhere } from '../../heavy-work/here-or-elsewhere.ts'
import { buildOffThread, substituteOffThread } from '../../heavy-work/off-thread.ts'
import type { Decryption } from '../decryption/decryption.ts'
import type { KustomizationSettings } from '../settings.ts'
import type { CachedBuild, Manifest } from './build-cache.ts'
import { editsOf } from './kustomization-file.ts'
import { loadVariables } from './load-variables.ts'
import { withLineOfVariable } from './locate.ts'
import type { RenderPorts } from './render-folder.ts'
import { renderSource } from './render-source.ts'
import { substituteAll } from './substitute-all.ts'

/** What is to be applied. */
export interface Manifests {
  readonly objects: readonly KubernetesObject[]
  /** Of the objects as text: equal builds have equal digests, and Flux's are the same. */
  readonly digest: string
  /** The file that an object came from, and the overlay that changed it. */
  originOf(object: KubernetesObject): string | undefined
}

export interface BuildPorts extends Omit<RenderPorts, 'helm'> {
  /** Downloads the charts of `helmCharts`, which are rendered on a thread of their own; without, they are refused. */
  readonly pullChart?: PullChart | undefined
  readonly references: References
  readonly cached: CachedBuild
  /** Where builds go that are too much for this thread; all are done here without. */
  readonly offThread?: OffThread | undefined
  /** What objects ask to be decrypted stays as it is without. */
  readonly decryption?: Decryption
}

/** Builds a folder of a source: kustomize with what is to be decrypted, then variables. Fails in the words of kustomize and of Flux. */
export const buildManifests = async (
  kustomization: Kustomization,
  source: { readonly artifact: Artifact; readonly files: FileSystem; readonly folder: string },
  ports: BuildPorts,
  settings: KustomizationSettings,
  signal?: AbortSignal,
): Promise<Manifests> => {
  const { artifact, files, folder } = source
  const { spec } = kustomization
  const { buildLimits: limits, strictSubstitution: strict } = settings
  const { offThread: thread } = ports
  const options = { group: kustomization.metadata.namespace ?? '', signal }
  const helm = thread && ports.pullChart && notOnThisThread
  const decryptor = await ports.decryption?.(kustomization, signal)
  const inputs = { key: inputsOf(kustomization, folder, decryptor?.identity), digest: artifact.digest, files, signal }
  const built = await ports.cached(inputs, (traced, cache) =>
    hereOrElsewhere(
      limits,
      budget => renderSource(traced, folder, spec, { ...ports, helm, cache, decryptor }, settings, budget),
      thread &&
        (() => buildOffThread(thread, { files: traced, folder, spec, settings }, { ...ports, decryptor }, options)),
    ),
  )
  // As in Flux, nobody misses variables that no object takes, and the first that does names what is missing.
  const first = built.find(({ object }) => takesVariables(object))
  if (!first) return manifestsOf(built, spec)
  const variables = await loadVariables(ports.references, kustomization).catch(error => {
    throw new Error(postBuildFailed(first.object, error.message), { cause: error })
  })
  const isSubstituted = variables.size > 0 || spec.postBuild?.substituteStrategy === 'Always'
  if (!isSubstituted) return manifestsOf(built, spec)
  const manifests = await hereOrElsewhere(
    limits,
    budget => substituteAll(built, variables, { strict, budget }),
    thread && (() => substituteOffThread(thread, { manifests: built, variables, strict, limits }, options)),
  ).catch(error => {
    throw withPlaceOfVariable(error, files)
  })
  return manifestsOf(manifests, spec)
}

/** Charts take any time and memory: whatever their size, they are not for the thread that serves everyone. */
const tooMuch = async (): Promise<never> => {
  throw new BudgetExceeded('steps', 0, 1, 'helmCharts')
}

const notOnThisThread: Helm = { pull: tooMuch, template: tooMuch }

/** The same failure, with the line that takes the variable which is missing. It may come from another thread. */
const withPlaceOfVariable = (error: unknown, files: FileSystem): unknown => {
  if (!(error instanceof Error)) return error
  const [, variable, origin] = /: "(\w+)" \(from ([^()]+)\)$/.exec(error.message) ?? []
  if (!variable || !origin) return error
  const place = withLineOfVariable(files, origin, variable)
  return new Error(error.message.replace(/\(from [^()]+\)$/, `(from ${place})`), { cause: error })
}

const manifestsOf = (manifests: readonly Manifest[], spec: KustomizationSpec): Manifests => {
  const marked = manifests.map(({ object, origin }) => [withCommonMetadata(object, spec), origin] as const)
  const origins = new Map(marked)
  return {
    objects: marked.map(([object]) => object),
    digest: digestOf(manifests),
    originOf: object => origins.get(object),
  }
}

/** Set on the objects themselves, not on what they make (KS-140, KS-142). */
const withCommonMetadata = (object: KubernetesObject, { commonMetadata }: KustomizationSpec): KubernetesObject => {
  if (!commonMetadata) return object
  const { labels, annotations, ...metadata } = object.metadata
  const marks = {
    ...((labels || commonMetadata.labels) && { labels: { ...labels, ...commonMetadata.labels } }),
    ...((annotations || commonMetadata.annotations) && {
      annotations: { ...annotations, ...commonMetadata.annotations },
    }),
  }
  return { ...object, metadata: { ...metadata, ...marks } }
}

/**
 * What a build depends on beside the files. The source is part of it: sources have folders of the same names. So are the
 * keys: what was built with them is for nobody else.
 */
const inputsOf = (kustomization: Kustomization, folder: string, keys?: string): string => {
  const { kind, name } = kustomization.spec.sourceRef
  const source = [kind, sourceNamespaceOf(kustomization), name]
  return hash('sha256', JSON.stringify([source, folder, editsOf(kustomization.spec), keys]))
}

/** Digest of the manifests as `kustomize build` prints them. */
const digestOf = (manifests: readonly Manifest[]): string =>
  `sha256:${hash('sha256', manifests.map(({ yaml }) => yaml).join('---\n'))}`
