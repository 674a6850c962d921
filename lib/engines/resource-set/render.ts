import { Budget, BudgetExceeded } from '../../foundations/budget/budget.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refKey } from '../../foundations/kinds/object.ts'
import type { InputSet, ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'
import { type Limits, stepsBetweenChecks } from '../template/evaluate/run.ts'
import { resourceSetFunctions } from '../template/functions/resource-set.ts'
import type { Ambient } from '../template/functions/slim-sprig.ts'
import { parseTemplate } from '../template/template.ts'
import { fromJson } from '../template/values/from-json.ts'
import type { FunctionMap } from '../template/values/value.ts'
import { emitJson } from '../yaml/emit-json.ts'
import type { JsonValue } from '../yaml/json-value.ts'
import { readable, withCommonMetadata } from './common-metadata.ts'
import { identityOf, withoutDuplicates } from './identity.ts'
import { readObject, readObjects } from './read-objects.ts'

/** Objects that are applied together; a ResourceSet without steps has a single one. */
export interface RenderedStep {
  /** Absent if the ResourceSet has no steps. */
  readonly name?: string
  readonly objects: readonly KubernetesObject[]
}

export interface RenderOptions {
  /** The time and randomness for templates. */
  readonly ambient?: Ambient
  /** Limits per execution of a template. */
  readonly limits?: Partial<Limits>
  /** Shared by all templates. If absent, only each execution is limited. */
  readonly budget?: Budget
}

type Rendered = Pick<ResourceSetSpec, 'resources' | 'resourcesTemplate' | 'steps' | 'inputsFrom' | 'commonMetadata'>
type Templates = Pick<ResourceSetSpec, 'resources' | 'resourcesTemplate'>

/**
 * Renders the objects of a ResourceSet: each template once per set of inputs; once if the ResourceSet has no inputs at all, and not at all
 * if it has inputs but no sets. Fails if steps and resources are combined (RS-071), with the location in the template and the template's or
 * YAML reader's message, worded as in flux-operator; or with BudgetExceeded.
 */
export const render = (
  spec: Rendered,
  inputSets: readonly InputSet[],
  { ambient, limits, budget = new Budget() }: RenderOptions = {},
): readonly RenderedStep[] => {
  if (spec.steps && (spec.resources?.length || spec.resourcesTemplate))
    throw new Error('steps is mutually exclusive with resources and resourcesTemplate')
  const isWithout = inputSets.length === 0
  if (isWithout && (spec.inputsFrom?.length ?? 0) > 0) return namesOf(spec).map(name => ({ ...name, objects: [] }))
  const sets = isWithout ? [{}] : inputSets
  const evaluator = evaluate(resourceSetFunctions(ambient), budget, limits)
  const renderOne = (templates: Templates): readonly KubernetesObject[] => {
    const all = renderTemplates(templates, sets, !isWithout, evaluator, budget)
    const wanted = (isWithout ? all : withoutDuplicates(all)).filter(isWanted)
    return wanted.map(object => withCommonMetadata(object, spec.commonMetadata))
  }
  return spec.steps ? renderSteps(spec.steps, renderOne) : [{ objects: renderOne(spec) }]
}

const namesOf = ({ steps }: Rendered) => steps?.map(({ name }) => ({ name })) ?? [{}]

const renderSteps = (
  steps: NonNullable<ResourceSetSpec['steps']>,
  renderOne: (templates: Templates) => readonly KubernetesObject[],
): readonly RenderedStep[] => {
  const stepOf = new Map<string, string>()
  return steps.map(({ name, ...templates }) => {
    if (!templates.resources?.length && !templates.resourcesTemplate)
      throw new Error(`step "${name}": at least one of resources or resourcesTemplate must be set`)
    const objects = within(`step "${name}"`, () => renderOne(templates))
    for (const ref of objects.map(identityOf)) {
      const other = stepOf.get(refKey(ref))
      if (other !== undefined && other !== name)
        throw new Error(`duplicate resource ${describeRef(ref)} in step "${name}", already defined in step "${other}"`)
      stepOf.set(refKey(ref), name)
    }
    return { name, objects }
  })
}

const renderTemplates = (
  { resources = [], resourcesTemplate }: Templates,
  sets: readonly InputSet[],
  isIndexed: boolean,
  evaluator: Evaluate,
  budget: Budget,
): readonly KubernetesObject[] => {
  const objects: KubernetesObject[] = []
  const add = (found: readonly (KubernetesObject | undefined)[], place: string) => {
    for (const object of found) if (object) objects.push(object)
    budget.reach('resources', objects.length, place)
  }
  for (const [index, resource] of resources.entries())
    within(`failed to build ${isIndexed ? `resources[${index}]` : 'resource'}`, () => {
      const texts = evaluator(emitJson(resource as JsonValue), sets)
      for (const text of texts)
        add([within('failed to read object', () => readObject(text, budget))], `resources[${index}]`)
    })
  if (resourcesTemplate)
    within('failed to build resources', () => {
      const texts = evaluator(resourcesTemplate, sets)
      for (const text of texts)
        add(
          within('failed to read objects from multi-doc YAML', () => readObjects(text, budget)),
          'resourcesTemplate',
        )
    })
  return objects
}

type Evaluate = (template: string, sets: readonly InputSet[]) => Iterable<string>

/** Parses a template once and executes it for each set. A template that modifies its inputs does not affect other executions. */
const evaluate = (functions: FunctionMap, budget: Budget, limits: Partial<Limits> = {}): Evaluate => {
  const metered = { ...limits, isLate: () => isLate(budget, limits) }
  return function* (text, sets) {
    const template = within('failed to parse template', () =>
      parseTemplate('resourceset', text, { functions, delimiters: ['<<', '>>'], missingKey: 'error' }),
    )
    for (const set of sets) {
      budget.spend('steps', 1)
      const inputs = fromJson(set)
      const output = within('failed to execute template', () =>
        template.execute(null, { calls: new Map([['inputs', () => inputs]]), limits: metered }),
      )
      budget.spend('bytes', output.length)
      yield output
    }
  }
}

/** Checked once per this many template steps. */
const isLate = (budget: Budget, limits: Partial<Limits>): boolean => {
  budget.spend('steps', stepsBetweenChecks)
  return limits.isLate?.() ?? false
}

const within = <R>(doing: string, work: () => R): R => {
  try {
    return work()
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw new Error(`${doing}: ${(error as Error).message}`, { cause: error })
  }
}

const isWanted = ({ metadata, ...object }: KubernetesObject): boolean =>
  !isReconcileDisabled({
    ...object,
    metadata: { ...metadata, annotations: readable(metadata?.annotations) },
  } as KubernetesObject)
