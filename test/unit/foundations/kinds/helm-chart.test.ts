import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helmChart } from '../../../../lib/foundations/kinds/helm-chart.ts'

test('HC-002 HelmCharts are listed with chart, version, source, age and readiness, and go by hc', () => {
  assert.deepEqual(
    helmChart.versions[0]?.columns.map(({ name }) => name),
    ['Chart', 'Version', 'Source Kind', 'Source Name', 'Age', 'Ready', 'Status'],
  )
  assert.deepEqual(helmChart.shortNames, ['hc'])
})
