import {
  type CommonMetadata,
  commonMetadata,
  inSequence,
  type PostRenderer,
} from '../../engines/helm/release/post-render.ts'
import { build } from '../../engines/kustomize/build.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import type { Budget } from '../../foundations/budget/budget.ts'

/** What a HelmRelease changes of its chart's objects. */
export interface PostRendering {
  /** `spec.postRenderers[].kustomize`: patches and images, as they stand in a kustomization.yaml. */
  readonly kustomize: readonly Readonly<Partial<Record<'patches' | 'images', readonly unknown[]>>>[]
  readonly commonMetadata?: CommonMetadata | undefined
  /** Labels that say whose release the objects are of; they win over all others. */
  readonly originLabels: Readonly<Record<string, string>>
}

/** The post-renderers of a HelmRelease, in Flux's order: its own, then the common metadata, then the labels of its origin. */
export const postRenderers = (
  { kustomize, commonMetadata: common, originLabels }: PostRendering,
  budget?: Budget,
): PostRenderer =>
  inSequence(
    ...kustomize.map(fields => kustomizeRenderer(fields, budget)),
    ...(common ? [commonMetadata(common)] : []),
    commonMetadata({ labels: originLabels }),
  )

const INPUT = 'helm-output.yaml'

/** Builds a kustomization of the objects in memory. Fails with kustomize's message. */
const kustomizeRenderer =
  (fields: PostRendering['kustomize'][number], budget: Budget | undefined): PostRenderer =>
  async objects => {
    const kustomization = {
      ...{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' },
      ...{ ...fields, resources: [INPUT] },
    }
    const files = new Map([
      ['kustomization.yaml', JSON.stringify(kustomization)],
      [INPUT, objects.map(object => emitJson(object)).join('---\n')],
    ])
    const tree = {
      read: (path: string) => {
        const text = files.get(path)
        return text === undefined ? undefined : Buffer.from(text)
      },
      list: (path: string) => (path === '' ? [INPUT, 'kustomization.yaml'] : undefined),
    }
    const { resources } = await build(tree, '', { ...(budget && { budget }) })
    return resources.map(({ object }) => object)
  }
