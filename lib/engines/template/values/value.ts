/**
 * Go's values as templates see them. Where Go has several types for one JavaScript type, the most common one in Kubernetes data is the plain
 * one: strings, booleans, `number` for float64, `bigint` for int64 (how Flux decodes JSON integers), arrays for []interface {} and Maps
 * (never objects, so no key reaches a prototype) for map[string]interface {}. Everything else is a class here. `null` is a nil inside an
 * interface, `undefined` is no value at all; Go's messages distinguish them.
 */
export type Value =
  | string
  | boolean
  | number
  | bigint
  | null
  | undefined
  | Int
  | Complex
  | Struct
  | TemplateFunction
  | Value[]
  | ValueMap

export type ValueMap = Map<string, Value>

export type IntKind = 'int' | 'uint8' | 'uint64'

/** An integer of a type other than int64. Literals, lengths and counters are `int`. */
export class Int {
  readonly kind: IntKind
  readonly value: bigint
  constructor(value: bigint, kind: IntKind = 'int') {
    this.value = value
    this.kind = kind
  }
}

export class Complex {
  readonly real: number
  readonly imaginary: number
  constructor(real: number, imaginary: number) {
    this.real = real
    this.imaginary = imaginary
  }
}

/** A nil map: it reads like an empty one, but nothing can be added. */
export class NilMap extends Map<string, Value> {}

/** A slice of a specific item type, such as []string; plain arrays are []interface {}. */
export class TypedList extends Array<Value> {
  static override get [Symbol.species]() {
    return Array
  }
  elementType!: string
  /** A nil slice: it prints like an empty one, but is null in JSON. */
  isNil!: boolean
  static holding(elementType: string, items: readonly Value[], isNil = false): TypedList {
    const list = new TypedList()
    list.elementType = elementType
    list.isNil = isNil
    for (const item of items) list.push(item)
    return list
  }
}

/** A map of a specific value type, such as map[string]string. */
export class TypedMap extends Map<string, Value> {
  readonly elementType: string
  /** A nil map: it prints like an empty one, but is null in JSON. */
  readonly isNil: boolean
  constructor(elementType: string, entries: Iterable<readonly [string, Value]>, isNil = false) {
    super(entries)
    this.elementType = elementType
    this.isNil = isNil
  }
}

/** Methods of a value, by name. */
export type Methods = ReadonlyMap<string, TemplateFunction>

/** A map of a named type, possibly with methods: `common.Values`, the files of a chart. */
export class NamedMap extends Map<string, Value> {
  readonly typeName: string
  readonly methods: Methods
  constructor(typeName: string, entries: Iterable<readonly [string, Value]>, methods: Methods = NO_METHODS) {
    super(entries)
    this.typeName = typeName
    this.methods = methods
  }
}

/** A map of a named type whose keys are structs: entries are held by a text for each key, which sorts as the keys do. */
export class StructKeyMap extends NamedMap {
  private readonly structs: ReadonlyMap<string, Struct>
  constructor(typeName: string, entries: Iterable<readonly [text: string, key: Struct, value: Value]>) {
    const all = [...entries]
    super(
      typeName,
      all.map(([text, , value]) => [text, value]),
    )
    this.structs = new Map(all.map(([text, key]) => [text, key]))
  }

  /** The key that a template sees. */
  keyOf(text: string): Struct {
    return this.structs.get(text)!
  }
}

/** A slice of a named type with methods: the API versions that a chart queries. */
export class NamedList extends TypedList {
  typeName!: string
  methods!: Methods
  static named(typeName: string, elementType: string, items: readonly Value[], methods: Methods): NamedList {
    const list = new NamedList()
    list.typeName = typeName
    list.elementType = elementType
    list.isNil = false
    list.methods = methods
    for (const item of items) list.push(item)
    return list
  }
}

const NO_METHODS: Methods = new Map()

/** The JSON fields of a struct, in declaration order. */
export class StructFields extends Map<string, Value> {}

/** The key of the value that a named type wraps: no field has this name. */
export const UNDERLYING = ''

/** A value of a Go type of its own: fields and methods by name, and how fmt prints it. */
export class Struct {
  readonly typeName: string
  readonly fields: ReadonlyMap<string, Value>
  private readonly methods: Methods
  readonly text: (() => string) | undefined
  constructor(
    typeName: string,
    fields: ReadonlyMap<string, Value>,
    methods: Methods = NO_METHODS,
    text?: () => string,
  ) {
    this.typeName = typeName
    this.fields = fields
    this.methods = methods
    this.text = text
  }

  method(name: string): TemplateFunction | undefined {
    return this.methods.get(name)
  }

  /** The value of a named type's underlying type, as time.Month is an int. */
  get underlying(): Value {
    return this.fields.get(UNDERLYING)
  }

  /** The value that encoding/json writes for it. */
  toJson(): Value {
    return (
      this.underlying ?? this.text?.() ?? new StructFields([...this.fields].filter(([name]) => !/^[a-z]/.test(name)))
    )
  }
}

/** Types that a function's parameters can have, as Go names them. */
export type ParameterType =
  | 'string'
  | 'int'
  | 'uint32'
  | 'float64'
  | 'bool'
  | 'interface {}'
  | 'reflect.Value'
  | 'map[string]interface {}'
  | '[]interface {}'
  | 'time.Time'
  | 'sprig.certificate'
  | '*semver.Version'

/**
 * A function for templates. Arguments are checked against the types before `call`, which receives `int` and `uint32` as JavaScript numbers
 * and everything else as a Value; an error it throws becomes "error calling NAME: ...".
 */
export class TemplateFunction {
  readonly parameters: readonly ParameterType[]
  /** The type of further arguments. */
  readonly rest: ParameterType | undefined
  // biome-ignore lint/suspicious/noExplicitAny: parameter types are checked at run time
  readonly call: (...args: any[]) => Value
  constructor(
    parameters: readonly ParameterType[],
    // biome-ignore lint/suspicious/noExplicitAny: parameter types are checked at run time
    call: (...args: any[]) => Value,
    rest?: ParameterType,
  ) {
    this.parameters = parameters
    this.call = call
    this.rest = rest
  }
}

/** What a function can use of the run that calls it. */
export interface RunContext {
  /** Renders a defined template. */
  render(name: string, data: Value): string
  /** Renders a text parsed on the fly, which can call all defined templates. */
  expand(text: string, data: Value): string
  /** Whether another template would be nested too deeply. */
  readonly isDeepest: boolean
}

/** A function that renders templates itself, such as Helm's `include`. Subject to the limits of the run that calls it. */
export class RenderingFunction extends TemplateFunction {
  // biome-ignore lint/suspicious/noExplicitAny: parameter types are checked at run time
  readonly callWithin: (run: RunContext, ...args: any[]) => Value
  // biome-ignore lint/suspicious/noExplicitAny: parameter types are checked at run time
  constructor(parameters: readonly ParameterType[], callWithin: (run: RunContext, ...args: any[]) => Value) {
    super(parameters, () => {
      throw new Error('can only be called by name')
    })
    this.callWithin = callWithin
  }
}

export type FunctionMap = ReadonlyMap<string, TemplateFunction>

/** Go's int. Small ones are shared, as most integers of templates are small. */
export const int = (value: number | bigint): Int => {
  if (typeof value === 'number' && value >= -1 && value < SMALL.length - 1) return SMALL[value + 1]!
  return new Int(BigInt(value))
}
const SMALL = Array.from({ length: 258 }, (_, i) => new Int(BigInt(i - 1)))

/** Go's []string. A nil list reads like an empty one, but is null in JSON. */
export const stringList = (items: readonly string[], isNil = false): TypedList =>
  TypedList.holding('string', items, isNil)

export const isNothing = (value: Value): value is null | undefined => value === null || value === undefined
/** Nothing, or a nil list or map. */
export const isNil = (value: Value): boolean =>
  isNothing(value) ||
  value instanceof NilMap ||
  ((value instanceof TypedList || value instanceof TypedMap) && value.isNil)
export const isList = (value: Value): value is Value[] => Array.isArray(value)
export const isMap = (value: Value): value is ValueMap => value instanceof Map

/** A method of a value, if its type has it. */
export const methodOf = (value: Value, name: string): TemplateFunction | undefined => {
  if (value instanceof Struct) return value.method(name)
  return value instanceof NamedList || value instanceof NamedMap ? value.methods.get(name) : undefined
}

/** Whether its items are of type interface {}: messages then call each of them so, whatever it is. */
export const holdsInterfaces = (value: Value): boolean =>
  (isList(value) && !(value instanceof TypedList)) || (isMap(value) && !(value instanceof TypedMap))

/** The underlying value: a month is an integer. */
export const unnamed = (value: Value): Value => (value instanceof Struct ? (value.underlying ?? value) : value)

/** The integer of a value of any integer type. */
export const integerOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Int ? value.value : undefined

/** The type as `%T` prints it. */
export const typeNameOf = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return 'float64'
    case 'bigint':
      return 'int64'
  }
  if (isNothing(value)) return '<nil>'
  if (value instanceof Int) return value.kind
  if (value instanceof NamedList || value instanceof NamedMap) return value.typeName
  if (value instanceof TypedList) return `[]${value.elementType}`
  if (Array.isArray(value)) return '[]interface {}'
  if (value instanceof TypedMap) return `map[string]${value.elementType}`
  if (value instanceof Map) return 'map[string]interface {}'
  if (value instanceof Complex) return 'complex128'
  if (value instanceof Struct) return value.typeName
  return `func(${[...value.parameters, ...(value.rest ? [`...${value.rest}`] : [])].join(', ')}) interface {}`
}

/** reflect's Kind. */
export const kindOf = (value: Value): string => {
  if (isNothing(value)) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  if (value instanceof Map) return 'map'
  if (value instanceof TemplateFunction) return 'func'
  if (!(value instanceof Struct)) return typeNameOf(value)
  if (value.underlying !== undefined) return kindOf(value.underlying)
  return value.typeName.startsWith('*') ? 'ptr' : 'struct'
}
