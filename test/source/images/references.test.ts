import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../bed/eventually.ts'
import { author, manifest, openAutomationWorld } from './automation-world.ts'
import { openImageWorld } from './image-world.ts'

const spec = {
  sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'default' },
  interval: '10m',
  git: { commit: author },
}

test('IM-037: a source of another namespace is used, unless the operator forbids that', async () => {
  const world = await openAutomationWorld({ 'app.yaml': manifest('1.0.0') })
  await world.create('Namespace', 'team', {}, '')
  await world.applies('ImageUpdateAutomation', 'auto', spec, 'team')
  const [ready] = await world.conditions('ImageUpdateAutomation', 'auto', 'team')
  assert.equal(ready, 'Ready=True Succeeded: repository up-to-date')

  const strict = await openImageWorld({ noCrossNamespaceRefs: true })
  await strict.create('Namespace', 'team', {}, '')
  await strict.applies('ImageUpdateAutomation', 'auto', spec, 'team')
  const message = "can't access 'GitRepository/default/app', cross-namespace references have been blocked"
  assert.deepEqual(await strict.conditions('ImageUpdateAutomation', 'auto', 'team'), [
    `Ready=False AccessDenied: ${message}`,
    `Stalled=True AccessDenied: ${message}`,
  ])
})

test('IM-046: policies of another namespace are none of an automation, whatever a marker says', async () => {
  const world = await openAutomationWorld({ 'app.yaml': manifest('1.0.0') })
  await world.chooses('2.0.0')
  await world.create('Namespace', 'team', {}, '')
  await world.applies('ImageUpdateAutomation', 'auto', spec, 'team')
  assert.match(await world.show('main:app.yaml'), /1\.0\.0/)
})

test('IM-068: automations of one repository are in one group, so that their pushes do not meet', async () => {
  const world = await openAutomationWorld()
  const spec = { sourceRef: { kind: 'GitRepository', name: 'app' }, interval: '10m', git: { commit: author } }
  const elsewhere = { ...spec, sourceRef: { kind: 'GitRepository', name: 'other' } }
  const automation = (name: string, of: object) => ({
    ...{ apiVersion: 'image.toolkit.fluxcd.io/v1', kind: 'ImageUpdateAutomation', spec: of },
    metadata: { name, namespace: 'default' },
  })
  for (const [name, of] of Object.entries({ one: spec, two: spec, three: elsewhere }))
    await world.hub.create(automation(name, of), { fieldManager: 'author' })
  await eventually(async () => {
    const groups = world.waiting.map(({ message: { ref, group } }) => `${ref.name} ${group}`)
    assert.deepEqual(groups.toSorted(), ['one default/app', 'three default/other', 'two default/app'])
  })
})
