import { quote } from '../../foundations/go/quote.ts'
import type { Certifier } from '../template/functions/certificates.ts'
import { durationFunctions } from '../template/functions/durations.ts'
import { helmFunctions } from '../template/functions/helm.ts'
import { TemplateSyntaxError } from '../template/template-error.ts'
import {
  type FunctionMap,
  isNothing,
  RenderingFunction,
  TemplateFunction,
  type Value,
} from '../template/values/value.ts'
import { nameFunctions } from './name-functions.ts'
import { marked } from './render-errors.ts'

const include = new RenderingFunction(['string', 'interface {}'], (run, name: string, data: Value) => {
  if (run.isDeepest)
    throw new Error(`rendering template has a nested reference name: ${name}: unable to execute template`)
  return run.render(name, data)
})

const tpl = new RenderingFunction(['string', 'interface {}'], (run, text: string, data: Value) => {
  try {
    return run.expand(text, data).replaceAll('<no value>', '')
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error
    const what =
      error instanceof TemplateSyntaxError ? 'cannot parse template' : 'error during tpl function execution for'
    throw new Error(`${what} ${quote(text)}: ${error.message}`, { cause: error })
  }
})

const isMissing = (value: Value): boolean => isNothing(value) || value === ''

const required = (message: string, value: Value): Value => {
  if (isMissing(value)) throw new Error(marked(message))
  return value
}

const fail = (message: string): never => {
  throw new Error(marked(message))
}

/** The functions for `helm lint`: `required` accepts missing values, and `fail` does nothing. */
export const lintFunctions = (certifier: Certifier): FunctionMap =>
  new Map([
    ...chartFunctions(certifier),
    [
      'required',
      new TemplateFunction(['string', 'interface {}'], (_: string, value: Value) => (isMissing(value) ? '' : value)),
    ],
    ['fail', new TemplateFunction(['string'], () => '')],
  ])

/**
 * The functions of chart templates: Helm's own, and sprig's except those that read the environment or the network. `lookup` finds nothing;
 * to render for a cluster, pass a `lookup` that reads it in `calls`.
 */
export const chartFunctions = (certifier: Certifier): FunctionMap =>
  new Map([
    ...nameFunctions(certifier),
    ...helmFunctions,
    ...durationFunctions,
    ['include', include],
    ['tpl', tpl],
    ['required', new TemplateFunction(['string', 'interface {}'], required)],
    ['fail', new TemplateFunction(['string'], fail)],
  ])
