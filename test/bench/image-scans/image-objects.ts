import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'

const apiVersion = 'image.toolkit.fluxcd.io/v1'

/** An ImageRepository and a policy for its tags. */
export const imageObjects = (at: number, interval: string, registry: string): readonly KubernetesObject[] => {
  const metadata = { name: `image-${at}`, namespace: 'default' }
  const spec = { image: `${registry}/image-${at}`, interval, insecure: true }
  const policy = { imageRepositoryRef: { name: metadata.name }, policy: { semver: { range: '>=1.0.0' } } }
  return [
    { apiVersion, kind: 'ImageRepository', metadata, spec } as KubernetesObject,
    { apiVersion, kind: 'ImagePolicy', metadata, spec: policy } as KubernetesObject,
  ]
}
