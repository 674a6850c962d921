/** What values weigh: the steps that it takes to go over all that is in them. */
import type { Spend } from './spend.ts'
import { isList, isMap, Optional, type Value } from './values.ts'

/** Characters that a function goes over in one step. */
const charactersShift = 2
const bytesShift = 4

/** Spends the weight of a value, and stops within it when the budget does. */
export const weigh = (value: Value | undefined, spend: Spend): void => {
  if (typeof value === 'string') spend(value.length >> charactersShift)
  else if (value instanceof Uint8Array) spend(value.length >> bytesShift)
  else if (value instanceof Optional) weigh(value.value, spend)
  else if (isList(value)) {
    spend(value.length)
    for (const item of value) weigh(item, spend)
  } else if (isMap(value)) {
    spend(2 * value.size)
    for (const [key, field] of value) {
      weigh(key, spend)
      weigh(field, spend)
    }
  }
}
