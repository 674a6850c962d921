import { hash } from 'node:crypto'
import type { Hub } from '../../hub/hub.ts'
import type { Artifact } from '../../kinds/artifact.ts'
import type { Kustomization, KustomizationSpec } from '../../kinds/kustomization.ts'
import { sourceNamespaceOf } from '../../kinds/kustomization.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { type BuildCache, build, type Remotes } from '../../kustomize/build.ts'
import type { FileSystem } from '../../kustomize/file-system.ts'
import { KustomizeError, placeOf } from '../../kustomize/kustomize-error.ts'
import { readResources } from '../../kustomize/read-resources.ts'
import type { ResourceOrigin } from '../../kustomize/resource.ts'
import { BuildSchema } from '../../kustomize/schema/build-schema.ts'
import { substituteVariables } from '../../substitute/substitute-variables.ts'
import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import type { CachedBuild, Manifest, Rendered } from './build-cache.ts'
import { messageOf } from './failure.ts'
import { editsOf, withKustomizationFile } from './kustomization-file.ts'
import { loadVariables } from './load-variables.ts'
import type { KustomizationSettings } from './settings.ts'

/** What is to be applied. */
export interface Manifests {
  readonly objects: readonly KubernetesObject[]
  /** Of the objects as text: equal builds have equal digests, and Flux's are the same. */
  readonly digest: string
  /** The file that an object came from, and the overlay that changed it. */
  originOf(object: KubernetesObject): string | undefined
}

/** Builds a folder of a source: kustomize, then variables. Fails in the words of kustomize and of Flux. */
export const buildManifests = async (
  kustomization: Kustomization,
  source: { readonly artifact: Artifact; readonly files: FileSystem; readonly folder: string },
  {
    hub,
    cached,
    remotes,
  }: { readonly hub: Pick<Hub, 'get'>; readonly cached: CachedBuild; readonly remotes?: Remotes | undefined },
  { strictSubstitution, noRemoteBases }: KustomizationSettings,
): Promise<Manifests> => {
  const { artifact, files, folder } = source
  const inputs = { key: inputsOf(kustomization, folder), digest: artifact.digest, files }
  const reachable = noRemoteBases ? undefined : remotes
  const built = await cached(inputs, (traced, cache) =>
    render(traced, folder, kustomization, { remotes: reachable, cache }),
  )
  const variables = await loadVariables(hub, kustomization)
  const isSubstituted = variables.size > 0 || kustomization.spec.postBuild?.substituteStrategy === 'Always'
  const manifests = isSubstituted ? built.map(manifest => substituted(manifest, variables, strictSubstitution)) : built
  const marked = manifests.map(
    ({ object, origin }) => [withCommonMetadata(object, kustomization.spec), origin] as const,
  )
  const origins = new Map(marked)
  return {
    objects: marked.map(([object]) => object),
    digest: digestOf(manifests),
    originOf: object => origins.get(object),
  }
}

const substituted = (
  { object, origin }: Manifest,
  variables: ReadonlyMap<string, string>,
  strict: boolean,
): Manifest => {
  const after = substituteVariables(object, variables, { strict })
  return { object: after, yaml: emitJson(after as unknown as JsonObject), origin }
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

/** What a build depends on beside the files. The source is part of it: sources have folders of the same names. */
const inputsOf = (kustomization: Kustomization, folder: string): string => {
  const { kind, name } = kustomization.spec.sourceRef
  const source = [kind, sourceNamespaceOf(kustomization), name]
  return hash('sha256', JSON.stringify([source, folder, editsOf(kustomization.spec)]))
}

interface Reachable {
  readonly remotes: Remotes | undefined
  readonly cache: BuildCache | undefined
}

const render = async (
  files: FileSystem,
  folder: string,
  { spec }: Kustomization,
  { remotes = refusedRemotes, cache }: Reachable,
): Promise<Rendered> => {
  const prepared = withKustomizationFile(files, folder, editsOf(spec))
  try {
    const { resources, filesRead } = await build(prepared.files, folder, { remotes, ...(cache && { cache }) })
    const manifests = resources.map(({ object, yaml, origin }) => {
      requireIdentity(object)
      return { object: object as unknown as KubernetesObject, yaml, origin: describeOrigin(origin) }
    })
    return { manifests, isLocal: !filesRead.some(({ remote }) => remote) }
  } catch (error) {
    for (const file of prepared.manifests) requireManifests(files, file)
    const place = error instanceof KustomizeError ? placeOf(error) : ''
    throw new Error(`kustomize build failed: ${messageOf(error)}${place}`, { cause: error })
  }
}

const refuseRemote = async (): Promise<never> => {
  throw new Error('remote bases are not allowed here (--no-remote-bases): make the repository a source of its own')
}

const refusedRemotes: Remotes = { file: refuseRemote, repository: refuseRemote }

/** In a folder without a kustomization file every YAML file must hold Kubernetes objects (KS-068). */
const requireManifests = (files: FileSystem, file: string): void => {
  try {
    readResources(files.read(file) ?? '', new BuildSchema(), { file, overlay: '' })
  } catch (error) {
    throw new Error(`failed to decode Kubernetes YAML from /${file}: ${messageOf(error)}`, { cause: error })
  }
}

const requireIdentity = (object: JsonObject): void => {
  const { apiVersion, kind, metadata } = object as unknown as KubernetesObject
  if (apiVersion && kind && metadata?.name) return
  const known = { apiVersion, kind, metadata } // and nothing of its data, which may be secret
  throw new Error(`failed to decode Kubernetes apiVersion, kind and name from: ${JSON.stringify(known)}`)
}

const describeOrigin = ({ file, overlay }: ResourceOrigin): string => {
  const folder = file.slice(0, Math.max(file.lastIndexOf('/'), 0))
  return overlay === folder ? file : `${file}, overlay ${overlay || '.'}`
}

/** Digest of the manifests as `kustomize build` prints them. */
const digestOf = (manifests: readonly Manifest[]): string =>
  `sha256:${hash('sha256', manifests.map(({ yaml }) => yaml).join('---\n'))}`
