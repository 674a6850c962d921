import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, onStage } from './scene.ts'

const files = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.yaml`, configMap(`cm-${i}`, '1')]))

const settings = { buildLimits: { resources: 5, bytes: 20_000 } }

test('a build over its budget stalls: the condition names budget, place and setting, and what was applied stays', async () => {
  await onStage({ settings }, async ({ push, kustomize, conditions, inventory }) => {
    await push('1', files(5))
    await kustomize('app')
    await push('2', files(6))
    const message =
      'kustomize build failed: over budget: more than 5 resources at a time (5.yaml); the limit is resources=5, which an operator raises with --build-limits=resources=10'
    const [stalled, ready] = (await conditions('app')).toSorted().reverse()
    assert.match(stalled!, /^Stalled=True BuildFailed/)
    assert.match(ready!, /^Ready=False BuildFailed/)
    for (const shown of [stalled!, ready!]) assert.ok(shown.includes(message), shown)
    assert.equal((await inventory('app')).length, 5)
    await push('3', files(4))
    assert.match((await conditions('app')).join('\n'), /Ready=True/)
    assert.equal((await inventory('app')).length, 4)
  })
})

test('a build over its budget is checked again, as a setting may have been raised', async () => {
  await onStage({ settings }, async ({ push, kustomize, platform, clock, conditions }) => {
    await push('1', files(6))
    await kustomize('app')
    const due = await platform.schedule.dueAfter(clock.now())
    assert.deepEqual(
      due.filter(({ ref }) => ref.kind === 'Kustomization').map(({ ref }) => ref.name),
      ['app'],
      (await conditions('app')).join('\n'),
    )
  })
})

test('variables that grow the objects over the budget end the pass in the same way', async () => {
  await onStage({ settings }, async ({ push, kustomize, conditions }) => {
    await push('1', { 'a.yaml': configMap('a', '${v}${v}${v}') })
    await kustomize('app', { postBuild: { substitute: { v: 'x'.repeat(10_000) } } })
    assert.match(
      (await conditions('app')).join('\n'),
      /Stalled=True BuildFailed.*more than 20000 bytes read and created/,
    )
  })
})
