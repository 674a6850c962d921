import { quote } from '../../foundations/go/quote.ts'
import { newTemplateGroup } from '../template/template.ts'
import type { FunctionMap } from '../template/values/value.ts'
import { HelmError } from './helm-error.ts'

const releaseName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const maxLength = 53

/** Throws HelmError for an invalid release name (`ValidateReleaseName` of Helm's chartutil). */
export const requireReleaseName = (name: string): void => {
  if (name === '') throw new HelmError('release name check failed: release name "": no name provided')
  if (name.length <= maxLength && releaseName.test(name)) return
  throw new HelmError(
    `release name check failed: release name ${quote(name)}: invalid release name, must match regex ${releaseName.source} and the length must not be longer than ${maxLength}`,
  )
}

/** The name that `helm template --generate-name` makes from a chart's path and the time in milliseconds since 1970. */
export const generateReleaseName = (chart: string, now: number): string => {
  const base = chart.replace(/\/+$/, '').split('/').at(-1)!
  const name = base === '' || base === '.' ? 'chart' : base.split('.')[0]!
  return `${name}-${Math.floor(now / 1000)}`
}

/** Runs the template of `--name-template`, without data. Throws the template's error. */
export const nameFromTemplate = (template: string, functions: FunctionMap): string => {
  const group = newTemplateGroup('name-template', { functions })
  group.add('name-template', template)
  return group.executeTemplate('name-template', undefined)
}
