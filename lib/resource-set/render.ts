import { isReconcileDisabled } from '../kinds/flux-operator.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { describeRef, refKey } from '../kinds/object.ts'
import type { InputSet, ResourceSetSpec } from '../kinds/resource-set.ts'
import type { Limits } from '../template/evaluate/run.ts'
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

/** Objects that are applied together; all of a ResourceSet without steps. */
export interface RenderedStep {
  /** Absent without steps. */
  readonly name?: string
  readonly objects: readonly KubernetesObject[]
}

export interface RenderOptions {
  /** What templates can ask of the world: the time, and chance. */
  readonly ambient?: Ambient
  readonly limits?: Partial<Limits>
}

type Rendered = Pick<ResourceSetSpec, 'resources' | 'resourcesTemplate' | 'steps' | 'inputsFrom' | 'commonMetadata'>
type Templates = Pick<ResourceSetSpec, 'resources' | 'resourcesTemplate'>

/**
 * The objects of a ResourceSet: each template once for each set of inputs; just once when the ResourceSet asks for no
 * inputs at all, and not when it asks and there are none. Fails with the place of the template and the template's or the
 * YAML reader's message, in flux-operator's words.
 */
export const render = (
  spec: Rendered,
  inputSets: readonly InputSet[],
  { ambient, limits }: RenderOptions = {},
): readonly RenderedStep[] => {
  const isWithout = inputSets.length === 0
  if (isWithout && (spec.inputsFrom?.length ?? 0) > 0) return namesOf(spec).map(name => ({ ...name, objects: [] }))
  const sets = isWithout ? [{}] : inputSets
  const evaluator = evaluate(resourceSetFunctions(ambient), limits)
  const renderOne = (templates: Templates): readonly KubernetesObject[] => {
    const all = renderTemplates(templates, sets, !isWithout, evaluator)
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

const MOST_OBJECTS = 100_000

const renderTemplates = (
  { resources = [], resourcesTemplate }: Templates,
  sets: readonly InputSet[],
  isIndexed: boolean,
  evaluator: Evaluate,
): readonly KubernetesObject[] => {
  const objects: KubernetesObject[] = []
  const add = (...found: readonly (KubernetesObject | undefined)[]) => {
    for (const object of found) if (object) objects.push(object)
    if (objects.length > MOST_OBJECTS) throw new Error(`more than ${MOST_OBJECTS} objects`)
  }
  for (const [index, resource] of resources.entries())
    within(`failed to build ${isIndexed ? `resources[${index}]` : 'resource'}`, () => {
      const texts = evaluator(emitJson(resource as JsonValue), sets)
      for (const text of texts) add(within('failed to read object', () => readObject(text)))
    })
  if (resourcesTemplate)
    within('failed to build resources', () => {
      const texts = evaluator(resourcesTemplate, sets)
      for (const text of texts) add(...within('failed to read objects from multi-doc YAML', () => readObjects(text)))
    })
  return objects
}

type Evaluate = (template: string, sets: readonly InputSet[]) => Iterable<string>

/** Parses a template once, and runs it for each set. What a template changes in its inputs, no other one sees. */
const evaluate = (functions: FunctionMap, limits?: Partial<Limits>): Evaluate =>
  function* (text, sets) {
    const template = within('failed to parse template', () =>
      parseTemplate('resourceset', text, { functions, delimiters: ['<<', '>>'], missingKey: 'error' }),
    )
    for (const set of sets) {
      const inputs = fromJson(set)
      yield within('failed to execute template', () =>
        template.execute(null, { calls: new Map([['inputs', () => inputs]]), limits }),
      )
    }
  }

const within = <R>(doing: string, work: () => R): R => {
  try {
    return work()
  } catch (error) {
    throw new Error(`${doing}: ${(error as Error).message}`, { cause: error })
  }
}

const isWanted = ({ metadata, ...object }: KubernetesObject): boolean =>
  !isReconcileDisabled({
    ...object,
    metadata: { ...metadata, annotations: readable(metadata?.annotations) },
  } as KubernetesObject)
