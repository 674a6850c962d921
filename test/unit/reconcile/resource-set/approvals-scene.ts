/** Changes of a ResourceSet that wait for users. */
import type { Approval } from '../../../../lib/foundations/kinds/approval.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, configMap, type onStage, type Scene } from './scene.ts'

export const fleet = 'fleet.keelson.dev'
export const required = { 'fleet.keelson.dev/approval': 'Required' }

export const conditionIn = async ({ read }: Scene, type: string) => {
  const { status, reason, message } = conditionOf((await read())?.status?.conditions, type) ?? {}
  return { status, reason, message }
}
export const values = async ({ data }: Scene) =>
  Object.fromEntries(Object.entries(await data()).map(([name, data]) => [name, (data as { value: string }).value]))
/** ConfigMaps `cm-0`, `cm-1`... with these values. */
export const maps = (...values: readonly string[]) => values.map((value, at) => configMap(`cm-${at}`, { value }))

/** The plan that waits. */
export const planOf = async ({ hub }: Scene): Promise<Plan | undefined> =>
  (await hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'default' })).items.find(
    ({ status }) => status?.phase === 'Waiting',
  )
export const approve = async (
  scene: Scene,
  { metadata, spec: { digest } }: Plan,
  decision = 'Approved',
  signature?: Approval['spec']['signature'],
) => {
  const subject = { kind: 'Plan', name: metadata.name }
  const approval = {
    apiVersion: `${fleet}/v1alpha1`,
    kind: 'Approval',
    metadata: { generateName: `${metadata.name}-`, name: '', namespace: 'default' },
  }
  await scene.hub.create(
    { ...approval, spec: { subject, digest, decision, ...(signature && { signature }) } },
    { ...author, user: 'jane' },
  )
  await scene.settle()
}

/** A cluster, and the users as which something is applied to it. */
export const appliers = () => {
  const users = new Set<string | undefined>()
  const cluster: NonNullable<Parameters<typeof onStage>[0]['cluster']> = (hub, impersonate) => ({
    ...hub,
    apply: (object, options) => {
      if (!options.dryRun) users.add(impersonate?.user)
      return hub.apply(object, options)
    },
  })
  return { users, cluster }
}
