import { CelError } from '../../engines/cel/cel-error.ts'
import { booleanExpression, type Expression } from '../../engines/cel/expression.ts'
import { Budget } from '../../foundations/budget/budget.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { type WebhookCall, WebhookRefused } from './call.ts'
import type { VerifiedRequest } from './verify-request.ts'

/** An invalid expression of a Receiver; the message names its field. */
export class InvalidFilter extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'InvalidFilter'
  }
}

/** The CEL filters of a Receiver: one for all objects, and one per entry of `spec.resources`. */
export interface Filters {
  readonly all?: Expression
  readonly each: readonly (Expression | undefined)[]
}

/** Compiles the filters. Fails with an InvalidFilter, in Flux's wording. */
export const compileFilters = ({ spec }: Receiver): Filters => {
  const variables = spec.type === 'generic-oidc' ? ['res', 'req', 'claims'] : ['res', 'req']
  const compile = (text: string | undefined, place: string): Expression | undefined => {
    if (!text) return undefined
    try {
      return booleanExpression(text, variables)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      throw new InvalidFilter(`invalid ${place}: ${error.message}`, error)
    }
  }
  return {
    all: compile(spec.resourceFilter, 'resourceFilter expression'),
    each: spec.resources.map(({ kind, name, filter }, i) =>
      compile(filter, `filter expression for resources[${i}] (kind="${kind}", name="${name}")`),
    ),
  }
}

/** Whether a Receiver has filters, which may read the request. */
export const hasFilters = ({ spec }: Receiver): boolean =>
  Boolean(spec.resourceFilter) || spec.resources.some(({ filter }) => Boolean(filter))

/** Limit for all filters of one call together: about 50 ms. */
const callLimits = { steps: 1_000_000 }

/**
 * Whether an object passes: all applicable filters must be true, given the object's metadata (`res`), the request's
 * JSON body (`req`, empty for other bodies) and the caller's claims. Fails with a CelError.
 */
export const compileFilter = (
  { all, each }: Filters,
  call: WebhookCall,
  { payload, claims }: VerifiedRequest,
): ((index: number, object: KubernetesObject) => boolean) => {
  if (!all && each.every(filter => filter === undefined)) return () => true
  const req = payload ?? requestOf(call)
  // Shared by all objects, as a Receiver may list thousands.
  const budget = new Budget(callLimits)
  return (index, { apiVersion, kind, metadata }) => {
    const data = { res: { apiVersion, kind, metadata }, req, ...(claims && { claims }) }
    return [all, each[index]].every(filter => !filter || filter.evaluateBoolean(data, { budget }))
  }
}

const requestOf = ({ header, body }: WebhookCall): unknown => {
  if (!isJson(header('content-type'))) return {}
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch (error) {
    throw new WebhookRefused('failed to parse request body as JSON', { cause: error })
  }
}

const isJson = (contentType = ''): boolean => /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType)
