import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isSort, masterKey, sitePassword } from '../../../../lib/engines/template/functions/master-password.ts'
import { owner, sites } from './go-functions/sites.ts'

const recorded = JSON.parse(
  readFileSync(new URL('go-functions/sites.recorded.json', import.meta.url), 'utf8'),
) as string[]

test('the passwords of many sites, of every sort, are those that sprig derives', () => {
  const key = masterKey(owner.user, owner.password)
  assert.deepEqual(
    sites.map(site => sitePassword(key, site)),
    recorded,
  )
})

test('sorts are known by their names', () => {
  assert.deepEqual(['long', 'pin', 'longer', '', 'constructor'].map(isSort), [true, true, false, false, false])
})
