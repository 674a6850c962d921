import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Outcome, Pass, Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { openWorld, type World } from '../world.ts'

export const repositoryRef = (name: string): ObjectRef => ({
  group: 'source.toolkit.fluxcd.io',
  kind: 'GitRepository',
  namespace: 'default',
  name,
})

export const repository = (name: string, spec: object = {}): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name, namespace: 'default' },
  spec: { url: 'https://git.example.com/app', interval: '10m', ...spec },
})
export const kustomization = (name: string, source: string): KubernetesObject => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'default' },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: source } },
})

export type Script = (object: GitRepository, pass: Pass<GitRepository>) => Promise<Outcome<GitRepository>>

export const done: Outcome<GitRepository> = { type: 'done', reason: 'Succeeded', message: 'stored' }
export const author = { fieldManager: 'someone' }

/** A world whose GitRepositories follow a script, and whose Kustomizations just succeed. */
export const within = async (script: Script, story: (world: World) => Promise<void>): Promise<void> => {
  const sources: Reconciler<GitRepository> = {
    kind: repositoryRef(''),
    stage: 'source',
    manager: 'source-controller',
    intervalOf: () => 600_000,
    passTimeoutOf: () => 60_000,
    reconcile: script,
    finalize: async () => undefined,
  }
  const appliers: Reconciler<Kustomization> = {
    kind: kustomizationRef(''),
    stage: 'apply',
    manager: 'kustomize-controller',
    intervalOf: () => 600_000,
    passTimeoutOf: () => 60_000,
    reactsTo: ['GitRepository', 'Secret'],
    reconcile: async () => ({ type: 'done', reason: 'ReconciliationSucceeded', message: 'Applied' }),
    finalize: async () => undefined,
  }
  const world = await openWorld(() => [sources, appliers])
  try {
    await story(world)
  } finally {
    await world.close()
  }
}

export const passesOf = ({ passes }: World, name: string) => passes.filter(({ ref }) => ref.name === name).length
