import { visitRef } from '../../../../lib/platform/ports/visits.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { configMap, onStage, type Scene } from '../kustomization/scene.ts'

export const minute = 60_000
export const visit = visitRef('apply', 'default/') // of the hub itself: no kubeConfig

export const membersOf = async ({ platform }: Scene) =>
  ((await platform.visits.read(visit))?.members ?? []).map(({ ref }) => ref.name).sort()

export const dueOf = async ({ platform }: Scene, name: string) =>
  (await platform.objects.get(kustomizationRef(name)))?.due

/** Units a, b and c, each with its own file, created a few minutes apart, after an interval. */
export const atRest = (story: (scene: Scene) => Promise<void>) =>
  onStage({}, async scene => {
    await scene.push('1', {
      'a/x.yaml': configMap('a', '1'),
      'b/x.yaml': configMap('b', '1'),
      'c/x.yaml': configMap('c', '1'),
    })
    for (const name of ['a', 'b', 'c']) {
      await scene.kustomize(name, { path: `./${name}` })
      await scene.advance(3 * minute)
    }
    await scene.advance(20 * minute)
    await story(scene)
  })
