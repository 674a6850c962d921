import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeTable } from '../../../../lib/engines/image-policy/change-table.ts'

const head = '| File | Object | Policy | From | To |\n| --- | --- | --- | --- | --- |'
const change = (oldValue: string, name = 'app', namespace = 'prod') => ({
  object: { apiVersion: 'v1', kind: 'Pod', name, namespace },
  setter: 'apps:app',
  oldValue,
  newValue: 'app:2',
})

test('IM-069 a row for each change of each file', () => {
  const changes = new Map([
    ['a.yaml', [change('app:1'), change('app:0', 'b', '')]],
    ['b.yaml', [change('')]],
  ])
  assert.equal(
    changeTable(changes, 10_000),
    `${head}
| \`a.yaml\` | \`Pod/prod/app\` | \`apps:app\` | \`app:1\` | \`app:2\` |
| \`a.yaml\` | \`Pod/b\` | \`apps:app\` | \`app:0\` | \`app:2\` |
| \`b.yaml\` | \`Pod/prod/app\` | \`apps:app\` |  | \`app:2\` |`,
  )
})

test('IM-069 what files hold can not add cells, rows or markup', () => {
  const [, , row] = changeTable(new Map([['a|b\n.yaml', [change('`|<img>\r\n| x |')]]]), 1_000).split('\n')
  assert.equal(row, '| `a\\|b .yaml` | `Pod/prod/app` | `apps:app` | `\\|<img>  \\| x \\|` | `app:2` |')
})

test('IM-069 what does not fit is counted', () => {
  const changes = new Map([['a.yaml', Array.from({ length: 100 }, () => change('app:1'))]])
  const table = changeTable(changes, 1_000)
  assert.ok(table.length <= 1_000)
  const shown = table.split('\n').filter(line => line.includes('a.yaml')).length
  assert.ok(shown > 5)
  assert.match(table, new RegExp(`\\n\\nand ${100 - shown} more$`))
})
