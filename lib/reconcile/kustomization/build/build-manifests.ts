import { createHmac, hash } from 'node:crypto'
import type { Disclosure } from '../../../clusters/apply/field-diff.ts'
import type { Masking } from '../../../clusters/client/mask-secret.ts'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { Helm } from '../../../engines/kustomize/generators/helm.ts'
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
import { buildSecrets } from './build-secrets.ts'
import { editsOf } from './kustomization-file.ts'
import { loadVariables } from './load-variables.ts'
import { withLineOfVariable } from './locate.ts'
import type { RenderPorts } from './render-folder.ts'
import { renderSource } from './render-source.ts'
import { substituteAll } from './substitute-all.ts'

/** What to apply. */
export interface Manifests {
  readonly objects: readonly KubernetesObject[]
  /** Digest of the manifests as text: equal builds have equal digests, and the same ones as in Flux, unless a key goes into them (see Decryptor). */
  readonly digest: string
  /** The file that an object came from, and the overlay that changed it. */
  originOf(object: KubernetesObject): string | undefined
  /** Which values of the objects may be shown. */
  readonly secrets: Disclosure & Masking
}

export interface BuildPorts extends RenderPorts {
  readonly references: References
  readonly cached: CachedBuild
  /** Runs builds that are too large for this thread; if absent, all builds run here. */
  readonly offThread?: OffThread | undefined
  /** If absent, encrypted objects stay as they are. */
  readonly decryption?: Decryption
}

/** Builds a folder of a source: decrypts, runs kustomize, then substitutes variables. Errors are worded as in kustomize and Flux. */
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
  const helm = thread && ports.helm ? notOnThisThread : ports.helm
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
  // As in Flux, missing variables matter only if an object uses them; the first one used fails the build.
  const first = built.find(({ object }) => takesVariables(object))
  const { digestKey } = decryptor ?? {}
  if (!first) return manifestsOf(built, spec, buildSecrets(built), digestKey)
  const variables = await loadVariables(ports.references, kustomization).catch(error => {
    throw new Error(postBuildFailed(first.object, error.message), { cause: error })
  })
  const { values } = variables
  const isSubstituted = values.size > 0 || spec.postBuild?.substituteStrategy === 'Always'
  if (!isSubstituted) return manifestsOf(built, spec, buildSecrets(built, variables), digestKey)
  const manifests = await hereOrElsewhere(
    limits,
    budget => substituteAll(built, values, { strict, budget }),
    thread && (() => substituteOffThread(thread, { manifests: built, variables: values, strict, limits }, options)),
  ).catch(error => {
    throw withPlaceOfVariable(error, files)
  })
  return manifestsOf(manifests, spec, buildSecrets(built, variables, manifests), digestKey)
}

/** Charts may take any amount of time and memory, so they never run on the main thread. */
const refuse = async (): Promise<never> => {
  throw new BudgetExceeded('steps', 0, 1, 'helmCharts')
}

const notOnThisThread: Helm = { pull: refuse, template: refuse }

/** The same error, with the line that uses the missing variable. It may come from another thread. */
const withPlaceOfVariable = (error: unknown, files: FileSystem): unknown => {
  if (!(error instanceof Error)) return error
  const [, variable, origin] = /: "(\w+)" \(from ([^()]+)\)$/.exec(error.message) ?? []
  if (!variable || !origin) return error
  const place = withLineOfVariable(files, origin, variable)
  return new Error(error.message.replace(/\(from [^()]+\)$/, `(from ${place})`), { cause: error })
}

const manifestsOf = (
  manifests: readonly Manifest[],
  spec: KustomizationSpec,
  secrets: Manifests['secrets'],
  digestKey: string | undefined,
): Manifests => {
  const marked = manifests.map(({ object, origin }) => [withCommonMetadata(object, spec), origin] as const)
  const origins = new Map(marked)
  return {
    objects: marked.map(([object]) => object),
    digest: digestOf(manifests, digestKey),
    originOf: object => origins.get(object),
    secrets,
  }
}

/** Set on the objects themselves, not on what they create (KS-140, KS-142). */
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
 * All inputs of a build except the files. They include the source, as folders of different sources have the same names, and the
 * keys, as a build that was made with them must not be shared with a Kustomization that lacks them.
 */
const inputsOf = (kustomization: Kustomization, folder: string, keys?: string): string => {
  const { kind, name } = kustomization.spec.sourceRef
  const source = [kind, sourceNamespaceOf(kustomization), name]
  return hash('sha256', JSON.stringify([source, folder, editsOf(kustomization.spec), keys]))
}

/** Digest of the manifests as `kustomize build` prints them. */
const digestOf = (manifests: readonly Manifest[], key: string | undefined): string => {
  const text = manifests.map(({ yaml }) => yaml).join('---\n')
  return `sha256:${key === undefined ? hash('sha256', text) : createHmac('sha256', key).update(text).digest('hex')}`
}
