import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'

test('HR-001 HelmReleases are listed with age and readiness, go by hr, and are among all and the appliers', () => {
  const { versions, shortNames, categories } = helmRelease
  assert.deepEqual(
    versions.map(({ name, columns }) => [name, ...columns.map(column => column.name)]),
    [['v2', 'Age', 'Ready', 'Status']],
  )
  assert.deepEqual(shortNames, ['hr'])
  assert.deepEqual(categories, ['all', 'fluxcd', 'fluxcd-appliers'])
})
