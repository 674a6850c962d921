/** What the stories of input providers look at. */
import assert from 'node:assert/strict'
import { adler32 } from '../../../../lib/foundations/go/adler32.ts'
import type { InputProviderSpec } from '../../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { onStage, providerRef, type Scene } from '../resource-set/scene.ts'
import { shown } from '../world.ts'

export const conditions = async (scene: Scene) =>
  shown(await scene.provider('p')).map(line => line.replace(/(?<=finished in )\S+$/, '...'))
export const exported = async (scene: Scene) => (await scene.provider('p'))?.status?.exportedInputs
export const events = async (scene: Scene) => {
  const lines = await scene.eventsOf(providerRef('p'))
  return lines.map(line => line.replace(/(?<=finished in )\S+,/, '...,').replace(/[0-9a-f]{64}/, '...')).sort()
}
export const annotate = (scene: Scene, annotations: object) =>
  scene.change(providerRef('p'), { metadata: { annotations } })
export const ready = 'Ready=True ReconciliationSucceeded: Reconciliation finished in ...'
export const idOf = (name: string) => String(adler32(name))
export const export_ = async (spec: InputProviderSpec): Promise<readonly unknown[]> => {
  let found: readonly unknown[] = []
  await onStage({}, async scene => {
    await scene.provide('p', spec)
    assert.deepEqual(await conditions(scene), [ready])
    found = (await exported(scene))!
  })
  return found
}
