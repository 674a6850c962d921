/** Reads objects that typed Kubernetes clients send as protobuf. Responses are never protobuf: those clients accept JSON too. */
import type { Budget } from '../../../foundations/budget/budget.ts'
import { badRequest } from '../../store/api-errors.ts'
import { measureJson } from './json-values.ts'
import type { FieldType, Message } from './protobuf-messages.ts'
import { messages } from './protobuf-messages.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

const magic = Buffer.from('k8s\0')
const deepest = 32

/**
 * Decodes an object to JSON data. Fails with BadRequest on malformed bytes and for unknown kinds; with BudgetExceeded if it has more values
 * than the budget has nodes.
 */
export const readProtobuf = (bytes: Uint8Array, budget: Budget): Readonly<Record<string, unknown>> => {
  if (!magic.equals(bytes.subarray(0, magic.length))) throw malformed('it does not begin as a Kubernetes object')
  const envelope = fieldsOf(bytes.subarray(magic.length), budget)
  const typeMeta = fieldsOf(bytesOf(envelope.find(({ number }) => number === 1)), budget)
  const [apiVersion, kind] = [1, 2].map(wanted => textOf(typeMeta.find(({ number }) => number === wanted)))
  const message = messages.get(`${apiVersion}/${kind}`)
  if (!message)
    throw badRequest(`no protobuf form of kind "${kind}" in version "${apiVersion}" is known here: send JSON`)
  const raw = bytesOf(envelope.find(({ number }) => number === 2))
  return { apiVersion, kind, ...readMessage(message, raw, budget, 0) }
}

// ---- messages ----

const readMessage = (message: Message, bytes: Uint8Array, budget: Budget, depth: number): Record<string, unknown> => {
  if (depth > deepest) throw malformed('it is nested too deep')
  const values = new Map<string, unknown>()
  for (const field of fieldsOf(bytes, budget)) {
    const known = message.get(field.number)
    if (!known) continue
    const value = readValue(known.type, field, values.get(known.name), budget, depth)
    if (value !== undefined) values.set(known.name, value)
  }
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  )
}

/** A list or map continues `before`. undefined for empty values that Go encodes and JSON omits. */
const readValue = (type: FieldType, field: Field, before: unknown, budget: Budget, depth: number): unknown => {
  switch (type) {
    case 'text':
      return textOf(field) || undefined
    case 'bytes':
      return Buffer.from(bytesOf(field)).toString('base64')
    case 'json':
      return readJson(bytesOf(fieldsOf(bytesOf(field), budget).find(({ number }) => number === 1)), budget)
    case 'integer':
      return Number(BigInt.asIntN(64, numberOf(field))) || undefined
    case 'flag':
      return numberOf(field) !== 0n
    case 'time':
      return readTime(field, budget)?.replace(/\.\d+Z$/, 'Z')
    case 'microTime':
      return readTime(field, budget)
  }
  if ('message' in type) return readMessage(type.message, bytesOf(field), budget, depth + 1)
  if ('list' in type) {
    const items = (before as unknown[] | undefined) ?? []
    items.push(type.list === 'text' ? textOf(field) : readValue(type.list, field, undefined, budget, depth))
    return items
  }
  const entry = fieldsOf(bytesOf(field), budget)
  const [key, value] = [1, 2].map(wanted => entry.find(({ number }) => number === wanted))
  const text = type.map === 'text' ? textOf(value) : Buffer.from(bytesOf(value)).toString('base64')
  return ((before as Map<string, string> | undefined) ?? new Map<string, string>()).set(textOf(key), text)
}

const readJson = (bytes: Uint8Array, budget: Budget): unknown => {
  const text = Buffer.from(bytes).toString('utf8')
  budget.spend('nodes', measureJson(text, Number.POSITIVE_INFINITY).values)
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('a field that must be JSON is not')
  }
}

const readTime = (field: Field, budget: Budget): string | undefined => {
  const parts = fieldsOf(bytesOf(field), budget)
  const [seconds, nanos] = [1, 2].map(wanted => parts.find(({ number }) => number === wanted))
  if (!seconds) return undefined
  const ms = Number(BigInt.asIntN(64, numberOf(seconds))) * 1000
  if (Number.isNaN(new Date(ms).getTime())) throw malformed('a time is out of range')
  const micros = nanos ? Math.floor(Number(BigInt.asIntN(32, numberOf(nanos))) / 1000) : 0
  return new Date(ms).toISOString().replace(/\d{3}Z$/, `${String(micros).padStart(6, '0')}Z`)
}

// ---- the wire ----

interface Field {
  readonly number: number
  readonly value: bigint | Uint8Array
}

const textOf = (field: Field | undefined): string => Buffer.from(bytesOf(field)).toString('utf8')

const bytesOf = (field: Field | undefined): Uint8Array => {
  if (!field) return new Uint8Array()
  if (typeof field.value === 'bigint') throw malformed(`field ${field.number} must hold bytes`)
  return field.value
}

const numberOf = ({ number, value }: Field): bigint => {
  if (typeof value !== 'bigint') throw malformed(`field ${number} must hold a number`)
  return value
}

const fieldsOf = (bytes: Uint8Array, budget: Budget): Field[] => {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw malformed('it ends within a field')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw malformed('a number has no end')
  }
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw malformed('it ends within a field')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    budget.spend('nodes', 1)
    const tag = Number(varint())
    const number = tag >>> 3
    const wireType = tag & 7
    if (wireType === 0) fields.push({ number, value: varint() })
    else if (wireType === 2) fields.push({ number, value: take(Number(varint())) })
    else if (wireType === 1) take(8)
    else if (wireType === 5) take(4)
    else throw malformed(`field ${number} has an unknown form`)
  }
  return fields
}

const malformed = (why: string) => badRequest(`the object provided is not valid protobuf: ${why}`)
