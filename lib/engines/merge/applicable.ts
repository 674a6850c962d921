/** Checks that an object can be applied: its fields are known, and have the types that ownership tracking needs. */

import { isObject } from '../../foundations/kinds/json-object.ts'
import { maxDepth } from '../../foundations/kinds/schema/depth.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element } from './field-set.ts'
import { describePath, fieldElement } from './fields-v1.ts'
import { fieldSchema, isNamedField, itemElement, itemSchema, UnidentifiedItem } from './parts.ts'

/** The object doesn't match its schema. The message names the field, worded as in Kubernetes' apply. */
export class NotApplicable extends Error {
  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : ['errors:', ...problems.map(problem => `  ${problem}`)].join('\n'))
    this.name = 'NotApplicable'
  }
}

/**
 * Throws NotApplicable, with all problems and their paths, as an API server's conversion to typed values would fail.
 */
export const requireApplicable = (schema: StructuralSchema, object: unknown): void => {
  const problems: string[] = []
  check(schema, object, [], problems)
  if (problems.length > 0) throw new NotApplicable(problems)
}

const check = (schema: StructuralSchema, value: unknown, path: readonly Element[], problems: string[]): void => {
  const says = (problem: string) => problems.push(`${describePath(path)}: ${problem}`)
  if (path.length > maxDepth) {
    says(`nested deeper than ${maxDepth} levels`)
    return
  }
  if (value === null || schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string']) return
  switch (schema.type) {
    case 'object':
      if (isObject(value)) checkObject(schema, value, path, problems)
      else says(`expected map, got ${nameOf(value)}`)
      break
    case 'array':
      if (Array.isArray(value)) checkList(schema, value, path, problems)
      else says(`expected list, got ${nameOf(value)}`)
      break
    case 'string':
      if (typeof value !== 'string') says(`expected string, got ${nameOf(value)}`)
      break
    case 'boolean':
      if (typeof value !== 'boolean') says(`expected boolean, got ${nameOf(value)}`)
      break
    case 'integer':
    case 'number':
      if (typeof value !== 'number') says(`expected numeric (int or float), got ${nameOf(value)}`)
      break
  }
}

const checkObject = (
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: readonly Element[],
  problems: string[],
): void => {
  for (const [name, item] of Object.entries(value)) {
    const at = [...path, fieldElement(name)]
    if (isNamedField(schema, name) || schema.additionalProperties) check(fieldSchema(schema, name), item, at, problems)
    else problems.push(`${describePath(at)}: field not declared in schema`)
  }
}

const checkList = (
  schema: StructuralSchema,
  value: readonly unknown[],
  path: readonly Element[],
  problems: string[],
): void => {
  const listType = schema['x-kubernetes-list-type']
  const seen = new Set<Element>()
  for (const [index, item] of value.entries()) {
    let element: Element = `i:${index}`
    if (listType === 'map' || listType === 'set') {
      try {
        element = itemElement(schema, item)
      } catch (error) {
        if (!(error instanceof UnidentifiedItem)) throw error
        problems.push(`${describePath(path)}: element ${index}: ${error.message}`)
        continue
      }
      if (seen.has(element))
        problems.push(`${describePath(path)}: duplicate entries for key ${describePath([element])}`)
      seen.add(element)
    }
    check(itemSchema(schema), item, [...path, element], problems)
  }
}

/** The type of a value, not the value: it may be secret. */
const nameOf = (value: unknown): string => {
  if (isObject(value)) return 'map'
  return Array.isArray(value) ? 'list' : typeof value
}
