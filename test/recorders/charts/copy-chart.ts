import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isCompatible } from '../../../lib/engines/helm/process-dependencies.ts'
import type { Dependency, FoundChart } from './found-charts.ts'

/**
 * Copies a chart, and puts into its `charts/` what Chart.yaml lists and the repository doesn't hold: `helm dependency build` would
 * download it; here it is a chart of that name, in the version asked for, of any repository at hand. What none has stays missing.
 */
export const copyChart = (chart: FoundChart, target: string, all: readonly FoundChart[], parents = 0): void => {
  cpSync(chart.folder, target, { recursive: true, dereference: true, filter: path => basename(path) !== '.git' })
  if (parents > 3) return
  const charts = join(target, 'charts')
  for (const dependency of chart.dependencies) {
    if (isPresent(charts, dependency)) continue
    const found = all.find(candidate => fits(candidate, chart, dependency))
    if (!found || found === chart) continue
    mkdirSync(charts, { recursive: true })
    copyChart(found, join(charts, dependency.name), all, parents + 1)
  }
}

const isPresent = (charts: string, { name }: Dependency): boolean =>
  existsSync(charts) && readdirSync(charts).some(file => file === name || file.startsWith(`${name}-`))

const fits = (candidate: FoundChart, chart: FoundChart, { name, version, repository }: Dependency): boolean => {
  if (repository.startsWith('file://'))
    return candidate.folder === resolve(chart.folder, repository.slice('file://'.length))
  return candidate.name === name && isCompatible(version, candidate.version)
}
