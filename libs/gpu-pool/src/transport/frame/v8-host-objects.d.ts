import 'node:v8';

/* Documented hooks of Node's serializer that its types leave out. */
declare module 'node:v8' {
  interface Serializer {
    _setTreatArrayBufferViewsAsHostObjects(flag: boolean): void;
    _writeHostObject(view: ArrayBufferView): void;
  }
  interface Deserializer {
    _readHostObject(): ArrayBufferView;
  }
}
