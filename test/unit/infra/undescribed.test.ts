import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../../../infra/bundle.ts'
import { undescribed } from '../../../infra/undescribed.ts'
import { declaredSettings } from '../../../lib/compose/settings/settings.ts'
import { builtInKinds } from '../../../lib/foundations/kinds/all.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('without descriptions, kinds are the same otherwise', async () => {
  const folder = tempDir()
  const source = join(import.meta.dirname, '../../../lib/foundations/kinds/all.ts')
  await bundle({ kinds: source }, folder, [undescribed])
  const bundled: { readonly builtInKinds: unknown } = await import(pathToFileURL(join(folder, 'kinds.mjs')).href)
  let descriptions = 0
  const expected = JSON.stringify(builtInKinds, (key, value) => {
    if (key !== 'description' || typeof value !== 'string') return value
    descriptions++
    return ''
  })
  assert.ok(descriptions > 1000, `only ${descriptions} descriptions`)
  assert.equal(JSON.stringify(bundled.builtInKinds), expected)
})

test('without descriptions, settings are the same otherwise', async () => {
  const folder = tempDir()
  const source = join(import.meta.dirname, '../../../lib/compose/settings/settings.ts')
  await bundle({ settings: source }, folder, [undescribed])
  const bundled: { readonly declaredSettings: typeof declaredSettings } = await import(
    pathToFileURL(join(folder, 'settings.mjs')).href
  )
  const names = Object.keys(declaredSettings)
  assert.ok(names.length > 20, `only ${names.length} settings`)
  assert.deepEqual(Object.keys(bundled.declaredSettings), names)
  for (const [name, { description, byDefault, form }] of Object.entries(bundled.declaredSettings)) {
    assert.equal(description, '', name)
    const { byDefault: expected, form: ours } = declaredSettings[name]!
    assert.deepEqual([byDefault, form.placeholder], [expected, ours.placeholder], name)
  }
})
