import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deploymentSettings } from '../../../infra/context.ts'
import { formatDefault, type SettingDeclarations } from '../../../lib/compose/settings/setting.ts'
import { settingDeclarations, settingOptions } from '../../../lib/compose/settings/setting-options.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map(cells => `| ${cells.join(' | ')} |\n`.replaceAll('|  |', '| |')).join('')

const code = (text: string): string => text && `\`${text}\``

// After a change of a declaration, copy the printed table into the page.
test('docs/operations.md lists every context key of a deployment, with its default and description', () => {
  const rows = Object.entries<SettingDeclarations[string]>(deploymentSettings).map(([key, declaration]) => [
    code(key),
    code(formatDefault(declaration)),
    declaration.description,
  ])
  const expected = table([['key', 'default', 'meaning'], ['---', '---', '---'], ...rows])
  assert.ok(page.includes(expected), `the table must be\n\n${expected}`)
})

test('docs/operations.md lists every setting of a hub, as a context key and as a flag', () => {
  const rows = settingOptions.map(({ key, flag, declaration, only }) => [
    only === 'embedded' ? '' : code(key),
    code(`--${flag}`),
    code(formatDefault(declaration)),
    declaration.description,
  ])
  const header = ['key', 'flag of `keelson serve`', 'default', 'meaning']
  const expected = table([header, header.map(() => '---'), ...rows])
  assert.ok(page.includes(expected), `the table must be\n\n${expected}`)
})

test('README and docs/operations.md deploy with existing keys', () => {
  const known = { ...deploymentSettings, ...settingDeclarations }
  for (const file of ['README.md', 'docs/operations.md', 'docs/kustomize.md']) {
    const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
    const keys = [...text.matchAll(/ -c (\w+)=/g)].map(([, key = '']) => key).filter(key => key !== 'key')
    assert.ok(keys.length > 0, file)
    for (const key of keys) assert.ok(key in known, `${file}: ${key}`)
  }
})
