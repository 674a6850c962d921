import type { Chart } from '../chart.ts'
import type { LintReport } from './lint-message.ts'

/** Lint rules for the dependencies of a chart; `path` is the chart's folder in messages. */
export const lintDependencies = ({ metadata, dependencies }: Chart, path: string, report: LintReport): void => {
  const declared = metadata.dependencies ?? []
  const present = dependencies.map(chart => chart.metadata.name)
  const names = declared.map(({ name }) => name)
  const keys = declared.map(({ name, alias }) => alias || name)
  report.rule('ERROR', path, listed('chart metadata is missing these dependencies', missing(present, names)))
  report.rule(
    'ERROR',
    path,
    listed(
      'multiple dependencies with name or alias',
      keys.filter((key, i) => keys.indexOf(key) < i),
    ),
  )
  report.rule('WARNING', path, listed('chart directory is missing these dependencies', missing(names, present)))
}

const missing = (wanted: readonly string[], known: readonly string[]): readonly string[] =>
  wanted.filter(name => !known.includes(name))

const listed = (problem: string, names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `${problem}: ${names.join(',')}`
