/** The weight of values: the steps needed to traverse all their contents. */
import type { Spend } from './spend.ts'
import { isList, isMap, Optional, type Value } from './values.ts'

/** Characters that a function traverses per step. */
const charactersShift = 2
const bytesShift = 4

/** Spends the weight of a value; stops midway when the budget runs out. */
export const spendOnValue = (value: Value | undefined, spend: Spend): void => {
  if (typeof value === 'string') spend(value.length >> charactersShift)
  else if (value instanceof Uint8Array) spend(value.length >> bytesShift)
  else if (value instanceof Optional) spendOnValue(value.value, spend)
  else if (isList(value)) {
    spend(value.length)
    for (const item of value) spendOnValue(item, spend)
  } else if (isMap(value)) {
    spend(2 * value.size)
    for (const [key, field] of value) {
      spendOnValue(key, spend)
      spendOnValue(field, spend)
    }
  }
}
