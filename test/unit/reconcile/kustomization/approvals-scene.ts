import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { author, configMap, type Scene } from './scene.ts'
import { annotate } from './windows-scene.ts'

export const group = 'fleet.keelson.dev'
export const required = { 'fleet.keelson.dev/approval': 'Required' }

export const plansOf = async ({ hub }: Scene): Promise<readonly Plan[]> =>
  (await hub.list<Plan>({ group, kind: 'Plan', namespace: 'default' })).items
export const phases = async (scene: Scene) => (await plansOf(scene)).map(({ status }) => status?.phase).sort()
export const openPlan = async (scene: Scene): Promise<Plan> =>
  (await plansOf(scene)).find(({ status }) => !['Applied', 'Stale', 'Expired'].includes(status?.phase ?? ''))!

export const decide = async (scene: Scene, plan: Plan, user: string, more: object = {}) => {
  await scene.hub.create(
    {
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'Approval',
      metadata: { generateName: 'approval-', name: '', namespace: 'default' },
      spec: { subject: { kind: 'Plan', name: plan.metadata.name }, digest: plan.spec.digest, ...more },
    },
    { ...author, user },
  )
  await scene.settle()
}

/** A unit that has applied `a: 1`, and needs approval for what comes. */
export const withUnit = async (scene: Scene, annotations: Readonly<Record<string, string>> = required) => {
  const { push, kustomize } = scene
  await push('1', { 'a.yaml': configMap('a', '1') })
  await kustomize('app')
  await annotate(scene, annotations)
}

/** What the Run of an approved plan says of it. */
export const approvedBy = ({ metadata, spec }: Plan, ...users: readonly string[]) => ({
  name: metadata.name,
  digest: spec.digest,
  approvedBy: users,
})
