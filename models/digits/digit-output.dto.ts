import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsNumber, Max, Min } from 'class-validator';

/** What the model reads in a picture. */
export class DigitOutput {
  /** The most probable digit. */
  @IsInt()
  @Min(0)
  @Max(9)
  digit: number;

  /** The probability of each digit from 0 to 9. They add up to 1. */
  @IsArray()
  @ArrayMinSize(10)
  @ArrayMaxSize(10)
  @IsNumber({}, { each: true })
  probabilities: number[];
}
