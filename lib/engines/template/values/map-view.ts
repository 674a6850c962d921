import { type Methods, NamedMap, type Value, type ValueMap } from './value.ts'

/** The same map as another type: both share their entries. */
export class MapView extends NamedMap {
  private readonly target: ValueMap
  constructor(typeName: string, target: ValueMap, methods?: Methods) {
    super(typeName, [], methods)
    this.target = target
  }
  override get size(): number {
    return this.target?.size ?? 0
  }
  override get(key: string): Value {
    return this.target.get(key)
  }
  override has(key: string): boolean {
    return this.target.has(key)
  }
  override set(key: string, value: Value): this {
    this.target.set(key, value)
    return this
  }
  override delete(key: string): boolean {
    return this.target.delete(key)
  }
  override clear(): void {
    this.target.clear()
  }
  override forEach(visit: (value: Value, key: string, map: ValueMap) => void): void {
    this.target.forEach(visit)
  }
  override keys(): MapIterator<string> {
    return this.target.keys()
  }
  override values(): MapIterator<Value> {
    return this.target.values()
  }
  override entries(): MapIterator<[string, Value]> {
    return this.target.entries()
  }
  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.target.entries()
  }
}
