import { chartFiles, configMap, type Files } from './helm-release-bed.ts'

const hook = (name: string, events: string, policy = 'before-hook-creation') =>
  configMap(name, {}, { 'helm.sh/hook': events, 'helm.sh/hook-delete-policy': policy })

/** A chart of two ConfigMaps with two hooks for each action; the second is deleted when it has succeeded. */
export const hookedChart = (version: string, more: Files = {}): Files =>
  chartFiles(
    {
      ...{ 'a.yaml': configMap('a', { version }), 'b.yaml': configMap('b') },
      'h1.yaml': hook('hook-1', 'pre-install,pre-upgrade,pre-rollback,pre-delete'),
      'h2.yaml': hook('hook-2', 'post-install,post-upgrade,post-rollback,post-delete', 'hook-succeeded'),
      ...more,
    },
    version,
  )

/** Its test. */
export const testHook: Files = { 't1.yaml': hook('hook-3', 'test') }

/** What a refused ConfigMap looks like: data must be text. */
export const refusedConfigMap: Files = { 'z.yaml': configMap('z', { x: [1] } as never), 'n.yaml': configMap('new') }
