import { type FunctionMap, TemplateFunction } from '../values/value.ts'
import { yamlFunctions } from './encoding.ts'
import { type Ambient, hermeticFunctions } from './slim-sprig.ts'
import { slugifier } from './slugify.ts'

const noInputs = (): never => {
  throw new Error('no inputs were given to this run')
}

/**
 * The functions for templates of a ResourceSet, enclosed in `<<` and `>>`: slim-sprig's hermetic set, `slugify`, `toYaml` and `inputs`,
 * which each run passes in `calls`.
 */
export const resourceSetFunctions = (ambient?: Ambient): FunctionMap =>
  new Map([
    ...hermeticFunctions(ambient),
    ...yamlFunctions,
    ['slugify', new TemplateFunction(['string'], slugifier())],
    ['inputs', new TemplateFunction([], noInputs)],
  ])
