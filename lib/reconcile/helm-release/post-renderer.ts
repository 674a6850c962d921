import { commonMetadata, inSequence, type PostRenderer } from '../../engines/helm/release/post-render.ts'
import { validateMetadata } from '../../engines/kustomize/validate-metadata.ts'
import { fromJson } from '../../engines/yaml/from-json.ts'
import type { Limits } from '../../foundations/budget/budget.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { namespaceOf } from './names.ts'

type Kustomize = NonNullable<NonNullable<HelmRelease['spec']['postRenderers']>[number]['kustomize']>

/** The post-renderers of a release (HR-090): those of the spec, then common metadata, then the labels of its HelmRelease. */
export const postRendererOf = (release: HelmRelease, limits: Limits): PostRenderer => {
  const { postRenderers = [], commonMetadata: common } = release.spec
  return inSequence(
    requireIdentified,
    ...postRenderers.flatMap(({ kustomize }) => (kustomize ? [byKustomize(kustomize, limits)] : [])),
    ...(common ? [commonMetadata(common)] : []),
    commonMetadata({ labels: originLabels(release) }),
  )
}

/** Labels with the HelmRelease of an object. */
export const originLabels = (release: HelmRelease): Readonly<Record<string, string>> => ({
  'helm.toolkit.fluxcd.io/name': release.metadata.name,
  'helm.toolkit.fluxcd.io/namespace': namespaceOf(release),
})

/** kustomize, which helm-controller reads the objects with, refuses one without kind or name, and one that is there twice. */
const requireIdentified: PostRenderer = async objects => {
  for (const object of objects) {
    const { kind, metadata } = object as unknown as Partial<KubernetesObject>
    if (!kind || !metadata?.name) validateMetadata(fromJson(object))
  }
  const seen = new Set<string>()
  for (const object of objects) {
    const { apiVersion = '', kind = '', metadata } = object as unknown as Partial<KubernetesObject>
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['[noGrp]', apiVersion]
    const id = `${kind}.${version}.${group}/${metadata?.name ?? ''}.${metadata?.namespace || '[noNs]'}`
    if (seen.has(id)) throw new Error(`may not add resource with an already registered id: ${id}`)
    seen.add(id)
  }
  return objects
}

const byKustomize =
  ({ patches = [], images = [] }: Kustomize, limits: Limits): PostRenderer =>
  async objects => {
    // Loaded on demand, since few releases have post-renderers.
    const { patchedObjects } = await import('../../engines/kustomize/patched-objects.ts')
    return patchedObjects(objects, { patches, images }, limits)
  }
