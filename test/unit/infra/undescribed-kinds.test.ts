import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../../../infra/bundle.ts'
import { undescribedKinds } from '../../../infra/undescribed-kinds.ts'
import { builtInKinds } from '../../../lib/foundations/kinds/all.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('without descriptions, kinds are the same otherwise', async () => {
  const folder = tempDir()
  const source = join(import.meta.dirname, '../../../lib/foundations/kinds/all.ts')
  await bundle({ kinds: source }, folder, [undescribedKinds])
  const bundled: { readonly builtInKinds: unknown } = await import(pathToFileURL(join(folder, 'kinds.mjs')).href)
  let descriptions = 0
  const undescribed = JSON.stringify(builtInKinds, (key, value) => {
    if (key !== 'description' || typeof value !== 'string') return value
    descriptions++
    return ''
  })
  assert.ok(descriptions > 1000, `only ${descriptions} descriptions`)
  assert.equal(JSON.stringify(bundled.builtInKinds), undescribed)
})
